import { isMap, isScalar, parseDocument, YAMLMap, type Document } from "yaml";

/**
 * The text of a settings file with one setting changed: comments, order and spelling of the rest stay.
 *
 * @param value Plain data; null removes the setting, and the sections that it leaves empty.
 */
export function editConfig(text: string, path: readonly string[], value: unknown): string {
  const document = parseDocument(text);
  if (value === null || value === undefined) remove(document, path);
  else put(document, path, value);
  // Nothing left but comments: an empty `{}` would only puzzle.
  if (isMap(document.contents) && document.contents.items.length === 0) document.contents = null;
  const edited = document.toString({ lineWidth: 0 });
  const plain = edited === "null\n" ? "" : edited.replace(/\n+null\n$|\n+$/, "\n");
  return text.includes("\r\n") ? plain.replaceAll("\n", "\r\n") : plain;
}

function put(document: Document, path: readonly string[], value: unknown): void {
  let map = document.contents;
  if (!isMap(map)) {
    const made = new YAMLMap(document.schema);
    keepComments(document.contents, made);
    document.contents = made;
    map = made;
  }
  for (const part of path.slice(0, -1)) {
    const next: unknown = map.get(part, true);
    if (isMap(next)) {
      map = next;
      continue;
    }
    const made = new YAMLMap(document.schema);
    keepComments(next, made);
    map.set(part, made);
    map = made;
  }
  // A plain value replaces the old one inside its node, which keeps the comment beside it.
  const last = path.at(-1);
  map.set(last, typeof value === "object" ? document.createNode(value) : value);
}

/** `agents: # mine` and nothing below is a null with a comment: the comment goes over to the section. */
function keepComments(from: unknown, to: YAMLMap): void {
  if (!isScalar(from)) return;
  const comment = [from.commentBefore, from.comment].filter((text) => text != null).join("\n");
  if (comment !== "") to.commentBefore = comment;
}

function remove(document: Document, path: readonly string[]): void {
  if (!document.hasIn(path)) return;
  keepHeading(document, path);
  document.deleteIn(path);
  for (let depth = path.length - 1; depth > 0; depth--) {
    const parent = document.getIn(path.slice(0, depth), true);
    if (!isMap(parent) || parent.items.length > 0) return;
    keepHeading(document, path.slice(0, depth));
    document.deleteIn(path.slice(0, depth));
  }
}

/** A comment above the first setting may be about the whole file: it stays when that setting goes. */
function keepHeading(document: Document, path: readonly string[]): void {
  if (path.length !== 1 || !isMap(document.contents)) return;
  const first = document.contents.items[0]?.key;
  if (!isScalar(first) || first.value !== path[0] || first.commentBefore == null) return;
  document.commentBefore = [document.commentBefore, first.commentBefore]
    .filter((text) => text != null)
    .join("\n");
}
