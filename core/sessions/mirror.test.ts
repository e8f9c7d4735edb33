import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import * as nodeFs from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import { createBus } from "../live/bus.ts";
import { silentLog } from "../log/log.ts";
import { metaStore } from "../state/meta-store.ts";
import { openReplacement } from "../state/replace-file.ts";
import type { FileCalls } from "../state/replace-file.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { dmSource, laneOrigin } from "../testing/samples.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { testStores } from "../testing/test-database.ts";
import { until } from "../testing/until.ts";
import { createMirror } from "./mirror.ts";
import { loadMirror } from "./mirror-load.ts";
import { sealOf } from "./mirror-text.ts";
import { entryToStored, freshEntry } from "./session-entry.ts";

const nowMs = Date.UTC(2026, 10, 30, 21, 42, 21);

/** One data directory; `open` is one start of a gateway on it. */
function world(dir = tempDir()) {
  const file = join(dir, "sessions.json");
  const clock = manualClock(nowMs);
  const stores = testStores();
  const meta = metaStore(stores.db);
  const open = (enabled = true) => {
    const bus = createBus((_name, cause) => {
      throw cause;
    });
    const loaded = loadMirror({ ...stores, meta, file, nowMs: clock.nowMs(), log: silentLog });
    const mirror = createMirror({
      db: stores.db,
      routing: stores.directory.routing,
      meta,
      bus,
      clock,
      log: silentLog,
      file,
      loaded,
      enabled: () => enabled,
    });
    return { bus, loaded, mirror };
  };
  const lane = (chat: string) => {
    const origin = laneOrigin(dmSource(chat));
    stores.db.writeNow(() => stores.directory.ensureLane(origin, clock.nowMs()));
    return origin.key;
  };
  const stored = () => JSON.parse(readFileSync(file, "utf8")) as Record<string, object>;
  return { dir, file, clock, open, lane, stored, ...stores };
}

const someEntry = (name: string, id = `20260101_000000_${name}`) =>
  entryToStored(freshEntry(asSessionKey(name), asSessionId(id), dmSource(name), nowMs));

describe("the mirror (lifecycle 3.6)", () => {
  let w: ReturnType<typeof world>;
  beforeEach(() => {
    w = world();
  });

  test("is written within a second of a new lane, whole, private, and readable by its own loader", async () => {
    const { bus, mirror } = w.open();
    const key = w.lane("7");
    bus.emit("session.changed", { key, urgent: false });
    w.clock.advance(1_000);
    await until("the mirror is written", () => existsSync(w.file));
    const stored = w.stored();
    expect(Object.keys(stored)[0]).toBe("_README");
    expect(stored[key]).toMatchObject({ session_key: key, chat_type: "dm", platform: "telegram" });
    expect(statSync(w.file).mode & 0o777).toBe(0o600);
    await mirror.close();

    const other = world(w.dir);
    expect(other.open().loaded).toMatchObject({ added: 1, damaged: null, refused: [] });
    expect(other.directory.routing.get(key)?.sessionId).toBe(
      w.directory.routing.get(key)?.sessionId,
    );
  });

  test("is written at most once a second, and not at all where nothing that it shows has changed", async () => {
    const { bus, mirror } = w.open();
    const key = w.lane("7");
    w.clock.advance(1_000);
    await until("the first writing", () => existsSync(w.file));
    const inode = () => statSync(w.file).ino;
    await until("the seal is known", () => sealOf(readFileSync(w.file)) !== null);
    const first = inode();
    for (let n = 0; n < 50; n += 1) bus.emit("session.changed", { key, urgent: true });
    await mirror.close();
    expect(inode()).toBe(first);
    expect(readdirSync(w.dir)).toEqual(["sessions.json"]);
  });

  test("a moved lane is written soon, changed counters when there is time, both at the end", async () => {
    const { bus, mirror } = w.open();
    const key = w.lane("7");
    w.clock.advance(1_000);
    await until("the first writing", () => existsSync(w.file));
    const id = () => (w.stored()[key] as { session_id: string }).session_id;
    const before = id();
    w.db.writeNow(() => w.directory.reset(key, "cli", null, w.clock.nowMs()));
    bus.emit("session.changed", { key, urgent: true });
    await until("the move is mirrored", () => {
      w.clock.advance(1_000);
      return id() !== before;
    });
    w.db.writeNow(() => w.directory.routing.patch(key, { inputTokens: 99 }));
    bus.emit("session.changed", { key, urgent: true });
    await mirror.close();
    expect(w.stored()[key]).toMatchObject({ input_tokens: 99 });
  });

  test("is off where the settings say so", async () => {
    const { bus, mirror } = w.open(false);
    bus.emit("session.changed", { key: w.lane("7"), urgent: false });
    await mirror.close();
    expect(existsSync(w.file)).toBe(false);
  });

  test("a link is kept, and the file it points to is replaced", async () => {
    const elsewhere = tempDir();
    symlinkSync(join(elsewhere, "real.json"), w.file);
    const { mirror } = w.open();
    const key = w.lane("7");
    await mirror.close();
    expect(lstatSync(w.file).isSymbolicLink()).toBe(true);
    expect(w.stored()).toHaveProperty([key]);
    expect(readdirSync(elsewhere)).toEqual(["real.json"]);
  });

  test("an unchanged file of our own costs no reading at the next start", async () => {
    const { mirror } = w.open();
    const key = w.lane("7");
    await mirror.close();
    w.db.writeNow(() => {
      w.directory.routing.remove(key);
    });
    expect(w.open().loaded).toMatchObject({ added: 0, upToDate: true });
  });
});

describe("reading a mirror", () => {
  const loadText = (text: string | Buffer) => {
    const w = world();
    writeFileSync(w.file, text);
    return { w, loaded: w.open().loaded };
  };

  test("the table wins; the file adds only the lanes that it lacks", () => {
    const w = world();
    const key = w.lane("7");
    const mine = w.directory.routing.get(key)!.sessionId;
    writeFileSync(w.file, JSON.stringify({ [key]: someEntry(key), b: someEntry("b") }));
    expect(w.open().loaded.added).toBe(1);
    expect(w.directory.routing.get(key)?.sessionId).toBe(mine);
    expect(w.directory.incarnations.exists(asSessionId("20260101_000000_b"))).toBe(true);
  });

  test("one bad record costs only itself, and stays in the file", async () => {
    const bad = { session_key: "b", session_id: "../../etc", created_at: "x", big: 1 };
    const w = world();
    writeFileSync(w.file, `\ufeff${JSON.stringify({ a: someEntry("a"), b: bad, c: 12 })}`);
    const { loaded, mirror } = w.open();
    expect(loaded).toMatchObject({ added: 1, damaged: null });
    expect(loaded.refused.map(({ name }) => name)).toEqual(["b", "c"]);
    await mirror.close();
    expect(w.stored()["_quarantine"]).toEqual({ b: bad, c: 12 });
    // and once more, from our own file
    const again = w.open();
    await again.mirror.close();
    expect(w.stored()["_quarantine"]).toEqual({ b: bad, c: 12 });
  });

  test("members of another build come back as they were, digit for digit", async () => {
    const w = world();
    const entry = { ...someEntry("a"), shiny: { deep: [1, 2] } };
    writeFileSync(w.file, `{"_version": 12345678901234567890, "a": ${JSON.stringify(entry)}}`);
    await w.open().mirror.close();
    expect(readFileSync(w.file, "utf8")).toContain('"_version": 12345678901234567890');
    expect(w.stored()["a"]).toMatchObject({ shiny: { deep: [1, 2] } });
    expect(readdirSync(w.dir)).toContain("sessions.json.kept-20261130T214221Z");
  });

  test("two lanes never come to share one session", () => {
    const { loaded } = loadText(
      JSON.stringify({ a: someEntry("a", "one"), b: someEntry("b", "one") }),
    );
    expect(loaded).toMatchObject({ added: 1 });
    expect(loaded.refused).toEqual([{ name: "b", reason: "its session belongs to another lane" }]);
  });

  test("a turn marker in a file is an interrupted turn, as old as it says", () => {
    const entry = {
      ...someEntry("a"),
      active_turn_token: "f".repeat(32),
      active_turn_started_at: "2026-01-01T00:00:00Z",
    };
    const { w } = loadText(JSON.stringify({ a: entry }));
    expect(w.directory.routing.get(asSessionKey("a"))).toMatchObject({
      activeTurnToken: null,
      resumePending: 1,
      lastResumeMarkedAt: Date.UTC(2026, 0, 1),
      state: "resume_pending",
    });
  });

  test("a cut file is read for what it holds and kept, to the byte", () => {
    const whole = JSON.stringify({ a: someEntry("a"), b: someEntry("b") }, null, 2);
    const cut = whole.slice(0, whole.length - 120);
    const { w, loaded } = loadText(cut);
    expect(loaded.damaged?.keptAs).toBe(`${w.file}.corrupt-20261130T214221Z`);
    expect(readFileSync(loaded.damaged!.keptAs!, "utf8")).toBe(cut);
    expect(loaded.added).toBe(2);
    expect(existsSync(w.file)).toBe(false);
  });

  test("a folder in its place is moved, an empty file kept", () => {
    const w = world();
    mkdirSync(w.file);
    writeFileSync(join(w.file, "x"), "mine");
    expect(readFileSync(join(w.open().loaded.damaged!.keptAs!, "x"), "utf8")).toBe("mine");
    expect(loadText("").loaded.damaged).not.toBeNull();
  });

  test("any bytes: the start goes on, and the bytes are not lost", async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((raw) => Buffer.from(raw)),
      fc.json({ stringUnit: "binary" }).map((text) => Buffer.from(text)),
      fc
        .tuple(
          fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.constant(someEntry("a")))),
          fc.nat(),
        )
        .map(([object, at]) => {
          const text = JSON.stringify({ a: someEntry("a"), ...object });
          return Buffer.from(text.slice(0, at % (text.length + 1)));
        }),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (given) => {
        const w = world();
        writeFileSync(w.file, given);
        const { mirror } = w.open();
        await mirror.close();
        const after = readdirSync(w.dir).map((name) => readFileSync(join(w.dir, name)));
        expect(after.some((kept) => kept.equals(given))).toBe(true);
        expect(sealOf(readFileSync(w.file))).not.toBeNull();
        JSON.parse(readFileSync(w.file, "utf8"));
        expect(w.open().loaded).toMatchObject({ damaged: null, refused: [] });
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

describe("replacing a file", () => {
  /** System calls of which the `nth` fails, as a full disk or a kill would have it. */
  function breaking(nth: number, code: string): { calls: FileCalls; broke: () => boolean } {
    let count = 0;
    const fail = (): void => {
      count += 1;
      if (count === nth) throw Object.assign(new Error(code), { code });
    };
    const wrap =
      <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        fail();
        return run(...args);
      };
    const open = (async (...args: Parameters<typeof nodeFs.open>) => {
      fail();
      const handle = await nodeFs.open(...args);
      const { sync, writeFile } = handle;
      handle.sync = wrap(sync.bind(handle));
      handle.writeFile = wrap(writeFile.bind(handle)) as typeof handle.writeFile;
      return handle;
    }) as typeof nodeFs.open;
    return {
      calls: {
        open,
        rename: wrap(nodeFs.rename),
        copyFile: wrap(nodeFs.copyFile),
        rm: nodeFs.rm,
        realpath: nodeFs.realpath,
        readlink: nodeFs.readlink,
      },
      broke: () => count >= nth,
    };
  }

  test("leaves the old text or the new, whichever call fails", async () => {
    for (let nth = 1; ; nth += 1) {
      const dir = tempDir();
      const file = join(dir, "sessions.json");
      writeFileSync(file, "old");
      const { calls, broke } = breaking(nth, "ENOSPC");
      const done = await openReplacement(file, calls)
        .then(async (replacement) => {
          await replacement.write("new ");
          await replacement.write("text");
          await replacement.commit();
          return true;
        })
        .catch(() => false);
      expect(readFileSync(file, "utf8")).toBe(done ? "new text" : "old");
      if (!broke()) {
        expect(done && nth > 5).toBe(true);
        break;
      }
    }
  });

  test("across disks the text is copied", async () => {
    const dir = tempDir();
    const file = join(dir, "sessions.json");
    writeFileSync(file, "old");
    const calls: FileCalls = {
      ...nodeFs,
      rename: () => Promise.reject(Object.assign(new Error("other disk"), { code: "EXDEV" })),
    };
    const replacement = await openReplacement(file, calls);
    await replacement.write("new");
    await replacement.commit();
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(readdirSync(dir)).toEqual(["sessions.json"]);
  });
});
