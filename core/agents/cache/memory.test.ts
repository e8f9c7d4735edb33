import { describe, expect, it } from "vitest";
import { memoryBudget, memoryLimit, readMemory } from "./memory.ts";
import type { ReadText } from "./memory.ts";

const gib = 1024 ** 3;
const files =
  (all: Record<string, string>): ReadText =>
  (path) =>
    all[path] ?? null;
const own = { "/proc/self/cgroup": "0::/user.slice/signalbox.service\n" };
const dir = "/sys/fs/cgroup/user.slice/signalbox.service";

describe("the memory budget (lifecycle 16.2)", () => {
  it("takes the own group's limits before the root's", () => {
    const read = files({
      ...own,
      [`${dir}/memory.max`]: `${2 * gib}\n`,
      "/sys/fs/cgroup/memory.max": `${8 * gib}`,
    });
    expect(memoryLimit(read)).toEqual({ bytes: 2 * gib, file: `${dir}/memory.max` });
  });

  it("prefers `high` to `max`, and reads `max` and huge numbers as no limit", () => {
    const read = files({
      ...own,
      [`${dir}/memory.high`]: "max",
      [`${dir}/memory.max`]: String(2 ** 62),
      "/sys/fs/cgroup/memory.high": `${4 * gib}`,
    });
    expect(memoryLimit(read)?.bytes).toBe(4 * gib);
    expect(
      memoryLimit(files({ "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712" })),
    ).toBeNull();
  });

  it("is 65 % of the limit, else of the machine's memory", () => {
    expect(memoryBudget("auto", files({ ...own, [`${dir}/memory.max`]: `${2 * gib}` })).bytes).toBe(
      Math.floor(2 * gib * 0.65),
    );
    expect(memoryBudget("auto", files({}), 16 * gib)).toEqual({
      bytes: Math.floor(16 * gib * 0.65),
      from: "65 % of this machine's memory",
    });
  });

  it("can be set, switched off, and is off below 512 MB", () => {
    expect(memoryBudget(1024, files({})).bytes).toBe(gib);
    expect(memoryBudget(0, files({})).bytes).toBeNull();
    expect(memoryBudget(null, files({})).bytes).toBeNull();
    expect(memoryBudget(100, files({})).bytes).toBeNull();
    expect(memoryBudget("auto", files({}), gib / 2).bytes).toBeNull();
  });
});

describe("the measurement (lifecycle 16.3)", () => {
  it("under a limit is the group's anonymous memory, children included", () => {
    const read = files({
      ...own,
      [`${dir}/memory.max`]: `${2 * gib}`,
      [`${dir}/memory.stat`]: "anon 1234\nfile 99\n",
      "/proc/self/status": "RssAnon:\t 7 kB\n",
    });
    expect(readMemory(read)).toEqual({ bytes: 1234, what: "anonymous memory of the group" });
  });

  it("without a limit is the process's own, at last its resident set, else unreadable", () => {
    expect(
      readMemory(
        files({
          ...own,
          [`${dir}/memory.stat`]: "anon 1234\n",
          "/proc/self/status": "RssAnon:\t 7 kB\n",
        }),
      )?.bytes,
    ).toBe(7168);
    expect(readMemory(files({}), () => 42)).toEqual({
      bytes: 42,
      what: "resident memory of the process",
    });
    expect(readMemory(files({}), () => 0)).toBeNull();
  });
});
