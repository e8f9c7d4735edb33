import { useWords } from "../i18n/use-words.ts";
import { cx } from "./cx.ts";
import css from "./state-chip.module.css";
import glyphCss from "./state-glyph.module.css";
import { StateGlyph } from "./state-glyph.tsx";
import { stateLooks, type StateName } from "./state-names.ts";

export interface StateChipProps {
  state: StateName;
  /** Glyph and word without the tinted ground: for table cells and running text. */
  bare?: boolean;
  /** Words after the state's word, e.g. "2 finishing". */
  detail?: string;
  /** Other words in place of the state's own, e.g. "Suspending…". */
  word?: string;
}

/** A state as glyph, word and colour. */
export function StateChip({ state, bare = false, detail, word }: StateChipProps) {
  const { t } = useWords();
  return (
    <span className={cx(css["chip"], bare && css["bare"], glyphCss[stateLooks[state].colour])}>
      <StateGlyph state={state} />
      <span className={css["word"]}>
        {word ?? t(`state.${state}`)}
        {detail !== undefined && ` ${detail}`}
      </span>
    </span>
  );
}
