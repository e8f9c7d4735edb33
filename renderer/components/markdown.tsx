import { memo, useMemo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "./copy-button.tsx";
import { markdownBlocks, type Block, type Inline } from "./markdown-blocks.ts";
import css from "./markdown.module.css";

/** Text as an agent wrote it, with its Markdown shown. Never HTML. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => markdownBlocks(text), [text]);
  return (
    <div className={css["markdown"]}>
      <Blocks blocks={blocks} />
    </div>
  );
});

/* The pieces of a parsed text have no names but their places. */

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block, index) => <OneBlock key={index} block={block} />);
}

function OneBlock({ block }: { block: Block }): ReactNode {
  const { t } = useTranslation();
  switch (block.kind) {
    case "paragraph":
      return (
        <p>
          <Line parts={block.children} />
        </p>
      );
    case "heading":
      return (
        <h4 className={css["heading"]}>
          <Line parts={block.children} />
        </h4>
      );
    case "code":
      return (
        <div className={css["code"]}>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so keys must reach it */}
          <pre tabIndex={0}>
            <code>{block.text}</code>
          </pre>
          <span className={css["corner"]}>
            <CopyButton text={block.text} what={t("session.transcript.codeBlock")} />
          </span>
        </div>
      );
    case "quote":
      return (
        <blockquote className={css["quote"]}>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case "list": {
      const items = block.items.map((item, index) => (
        <li key={index}>
          <Blocks blocks={item} />
        </li>
      ));
      return block.ordered ? (
        <ol className={css["numbers"]} start={block.start}>
          {items}
        </ol>
      ) : (
        <ul className={css["bullets"]}>{items}</ul>
      );
    }
    case "rule":
      return <hr className={css["rule"]} />;
  }
}

function Line({ parts }: { parts: readonly Inline[] }): ReactNode {
  return parts.map((part, index) => {
    switch (part.kind) {
      case "text":
        return part.text;
      case "code":
        return (
          <code key={index} className={css["inline"]}>
            {part.text}
          </code>
        );
      case "strong":
        return (
          <strong key={index}>
            <Line parts={part.children} />
          </strong>
        );
      case "emphasis":
        return (
          <em key={index}>
            <Line parts={part.children} />
          </em>
        );
      case "link":
        return (
          <a key={index} href={part.href} target="_blank" rel="noreferrer noopener">
            <Line parts={part.children} />
          </a>
        );
    }
  });
}
