import { createStore } from "zustand/vanilla";
import type { Bridge } from "../../core/contract/bridge.ts";
import type { CallOutput } from "../../core/contract/calls.ts";
import type { WireError } from "../../core/contract/errors.ts";
import { pulledStore } from "./pulled.ts";

export type Settings = CallOutput<"config.get">;

export interface Saving {
  /** Paths being written. */
  busy: ReadonlySet<string>;
  /** Why the last try at a path was refused; gone with the next. */
  failures: ReadonlyMap<string, WireError>;
}

/** The member of nested plain objects at a path like `log.level`; undefined where there is none. */
export function settingAt(settings: unknown, path: string): unknown {
  let at = settings;
  for (const part of path.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

/** Whether the settings file is wrong, so that other settings than its own are in force and none can be changed. */
export const isSafeMode = (settings: Pick<Settings, "problems">): boolean =>
  settings.problems.some(({ code }) => code === "config.safe_mode");

/** The settings in force, their defaults, and what is being written. */
export function settingsStore(bridge: Bridge) {
  const { store, pull, keepFresh } = pulledStore<Settings>(bridge, () =>
    bridge.call("config.get", {}),
  );
  const saving = createStore<Saving>(() => ({ busy: new Set(), failures: new Map() }));

  return {
    store,
    saving,
    actions: {
      pull,
      /** Writes one setting; null takes it out of the file, so that its default holds. */
      async set(path: string, value: unknown) {
        saving.setState(({ busy, failures }) => ({
          busy: new Set([...busy, path]),
          failures: new Map([...failures].filter(([one]) => one !== path)),
        }));
        const reply = await bridge.call("config.set", { path, value });
        await pull();
        saving.setState(({ busy, failures }) => ({
          busy: new Set([...busy].filter((one) => one !== path)),
          failures: reply.ok ? failures : new Map([...failures, [path, reply.error]]),
        }));
        return reply;
      },
    },
    start: () =>
      keepFresh([
        bridge.on("config.changed", () => {
          void pull();
        }),
      ]),
  };
}

export type SettingsStore = ReturnType<typeof settingsStore>;
