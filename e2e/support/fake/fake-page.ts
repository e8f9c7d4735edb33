/** The least that a page of the desktop host does: it listens, and asks once. By path below the panel's folder. */
export const fakePage: Readonly<Record<string, string>> = {
  "index.html": `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Stand-in check</title>
    <script type="module" src="/page.js"></script>
  </head>
  <body>
    <h1>Stand-in check</h1>
    <p role="status">nothing heard</p>
    <a href="https://example.test/same">leave</a>
    <a href="https://example.test/new" target="_blank" rel="noopener">open</a>
  </body>
</html>
`,
  "page.js": `globalThis.heard = [];
globalThis.signalbox.on((frame) => {
  heard.push(frame);
  document.querySelector("[role=status]").textContent = frame.seq + ": " + frame.name;
});
await globalThis.signalbox.call("gateway.status", {});
`,
};
