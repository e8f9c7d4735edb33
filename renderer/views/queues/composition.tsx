import { useTranslation } from "react-i18next";
import type { QueueLane } from "../../../core/contract/calls-recovery.ts";
import { cssVars } from "../../components/css-vars.ts";
import css from "./composition.module.css";

const PARTS = ["human", "queue", "internal", "resume"] as const;

/** What a lane's queue is made of: a thin bar, and the same in words. */
export function Composition({ parts }: { parts: QueueLane["composition"] }) {
  const { t } = useTranslation();
  const present = PARTS.filter((part) => parts[part] > 0);
  const words = present.map((part) => `${parts[part]} ${t(`queues.part.${part}`)}`).join(", ");
  return (
    <span className={css["composition"]} title={words}>
      <span className={css["bar"]} aria-hidden>
        {present.map((part) => (
          <span
            key={part}
            className={css["part"]}
            data-part={part}
            style={cssVars({ "--share": parts[part] })}
          />
        ))}
      </span>
      <span className={css["words"]}>{words}</span>
    </span>
  );
}
