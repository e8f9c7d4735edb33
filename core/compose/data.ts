import { join } from "node:path";
import { createImporter } from "../import/importer.ts";
import { createMirror } from "../sessions/mirror.ts";
import type { Mirror } from "../sessions/mirror.ts";
import { prepareRouting } from "../sessions/prepare-routing.ts";
import type { PreparedRouting } from "../sessions/prepare-routing.ts";
import { degradedFile } from "../state/degraded.ts";
import { metaStore } from "../state/meta-store.ts";
import { createSearch } from "../transcripts/search.ts";
import type { Base } from "./base.ts";

export type DataParts = ReturnType<typeof createDataParts>;

/** What keeps and shows the data beside the database: mirror, search index, import. */
export function createDataParts(base: Base) {
  const { options, clock, db, stores, bus, openLog, config, degraded } = base;
  const { directory } = stores;
  const { dataDir } = options;
  const search = createSearch({
    db,
    // A stand-in's rows have ids of their own.
    file: degraded ? ":memory:" : join(dataDir, "search.db"),
    bus,
    clock,
    log: openLog.log.area("search"),
  });
  const importer = createImporter({
    db,
    directory,
    bus,
    clock,
    log: openLog.log.area("import"),
    dataDir,
    isHealthy: degraded === null,
    keyRules: base.keyRules,
    raise: base.raise,
  });
  let mirror: Mirror | null = null;

  /** What the operator has to know of the files that were found; at most one notice of each kind. */
  function notify({ mirror: { damaged, refused }, merged }: PreparedRouting): void {
    if (degraded)
      base.raise({
        kind: "needs_you",
        title: "The gateway runs without its database",
        body: `${degraded.problem.message} ${degraded.problem.remedy ?? ""}`,
        link: null,
        group: "degraded",
      });
    if (merged && merged.rows > 0)
      base.raise({
        kind: "info",
        title: "The database is back",
        body: `${merged.rows} messages of the time without it were merged into their conversations.`,
        link: null,
        group: null,
      });
    if (damaged || refused.length > 0)
      base.raise({
        kind: "needs_you",
        title: "sessions.json could not be read in full",
        body: [
          damaged
            ? `The file could not be used: ${damaged.reason}. It is kept${damaged.keptAs === null ? " where it was, and no new one is written" : ` as ${damaged.keptAs}`}.`
            : "",
          refused.length > 0
            ? `${refused.length} records were set aside in it: ${refused
                .slice(0, 5)
                .map(({ name, reason }) => `${name.slice(0, 80)} (${reason})`)
                .join(", ")}.`
            : "",
          "The conversations in the database are not affected.",
        ]
          .filter((part) => part !== "")
          .join(" "),
        link: null,
        group: null,
      });
  }

  return {
    search,
    importer,
    /** First of all at a start: routing as it should be, then the parts that follow it. */
    prepare(): void {
      const sessionsDir = join(dataDir, "sessions");
      const prepared = prepareRouting({
        db,
        directory,
        degraded,
        standInFile: degradedFile(dataDir),
        sessionsDir,
        nowMs: clock.nowMs(),
        log: openLog.log.area("state"),
      });
      mirror = createMirror({
        db,
        routing: directory.routing,
        meta: metaStore(db),
        bus,
        clock,
        log: openLog.log.area("mirror"),
        file: join(sessionsDir, "sessions.json"),
        loaded: prepared.mirror,
        // Without the database the mirror is the routing index (lifecycle 3.6).
        enabled: () => degraded !== null || config.value.gateway.write_sessions_json,
      });
      const { repointed, dropped } = prepared.stale;
      if (prepared.merged || repointed + dropped > 0) mirror.allChanged();
      notify(prepared);
      search.open();
    },
    /** Before the database closes. */
    async close(): Promise<void> {
      await importer.close();
      await search.close();
      await mirror?.close();
    },
  };
}
