import { useTranslation } from "react-i18next";
import type { QueueItem, QueueLane } from "../../../core/contract/calls-recovery.ts";
import type { Reply } from "../../../core/contract/bridge.ts";
import type { MenuItems } from "../../components/menu.tsx";
import { go, sessionPath } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";

/** What can be done to what waits: order, removal with undo, and the way to its session. */
export function useQueueActs(pull: () => Promise<void>, items: readonly QueueItem[]) {
  const { t } = useTranslation();
  const { bridge, toasts, undo, timer } = usePanel();

  /** Does it, tells why where it was not done, and reads the queues again. */
  async function run(call: Promise<Reply<{ changed: boolean }>>): Promise<boolean> {
    const reply = await call;
    if (!reply.ok)
      toasts.actions.raise({
        title: t("queues.failed"),
        body: reply.error.message,
        tone: "failed",
      });
    else if (!reply.value.changed)
      toasts.actions.raise({
        title: t("queues.failed"),
        body: t("queues.tooLate"),
        tone: "failed",
      });
    await pull();
    return reply.ok && reply.value.changed;
  }

  const move = (item: QueueItem, before: number | null) =>
    run(bridge.call("queues.move", { inputId: item.inputId, before }));

  async function remove(item: QueueItem) {
    if (!(await run(bridge.call("queues.remove", { inputId: item.inputId })))) return;
    undo.offer({
      keys: [item.key],
      title: t("queues.removed"),
      body: item.preview,
      untilMs: timer.nowMs() + UNDO_MS,
      run: () => void run(bridge.call("queues.restore", { inputId: item.inputId })),
    });
  }

  const openSession = (key: QueueItem["key"]) => ({
    label: t("queues.openSession"),
    onSelect: () => {
      go(sessionPath(key));
    },
  });

  return {
    laneMenu: (lane: QueueLane): MenuItems => [openSession(lane.key)],
    itemMenu(item: QueueItem): MenuItems {
      const lane = items.filter((other) => other.key === item.key && other.kind !== "internal");
      const at = lane.findIndex((other) => other.inputId === item.inputId);
      const fixed = item.kind === "internal" ? t("queues.internalStays") : null;
      const [first, above, below] = [lane[0], lane[at - 1], lane[at + 2]];
      return [
        openSession(item.key),
        "separator",
        {
          label: t("queues.toFront"),
          why: fixed ?? (at <= 0 ? t("queues.isFirst") : null),
          onSelect: () => void move(item, first?.inputId ?? null),
        },
        {
          label: t("queues.up"),
          why: fixed ?? (above === undefined ? t("queues.isFirst") : null),
          onSelect: () => void move(item, above?.inputId ?? null),
        },
        {
          label: t("queues.down"),
          why: fixed ?? (at === lane.length - 1 ? t("queues.isLast") : null),
          onSelect: () => void move(item, below?.inputId ?? null),
        },
        "separator",
        {
          label: t("queues.remove"),
          tone: "danger",
          why: fixed,
          onSelect: () => void remove(item),
        },
      ];
    },
  };
}

const UNDO_MS = 10_000; // ux.md 7, level 1
