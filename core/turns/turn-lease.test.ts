import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asSessionId } from "../contract/ids.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { createTurnLeases } from "./turn-lease.ts";
import type { TurnLease } from "./turn-lease.ts";

const id = asSessionId("s1");
const other = asSessionId("s2");

describe("turn lease", () => {
  test("one at a time, in the order of arrival", async () => {
    const leases = createTurnLeases(manualClock(), () => 1_800_000);
    const order: string[] = [];
    const first = await leases.acquire(id);
    const second = leases.acquire(id).then((lease) => {
      order.push("second");
      return lease;
    });
    const third = leases.acquire(id).then((lease) => {
      order.push("third");
      return lease;
    });
    expect(leases.tryAcquire(id)).toBeNull();
    first.release();
    first.release(); // once is enough: the second holder keeps it
    (await second).release();
    (await third).release();
    expect(order).toEqual(["second", "third"]);
    expect(leases.isHeld(id)).toBe(false);
  });

  test("after the longest wait the waiter is turned away, and the next one still gets it", async () => {
    const clock = manualClock();
    const leases = createTurnLeases(clock, () => 1_800_000);
    const first = await leases.acquire(id);
    const late = leases.acquire(id);
    const lateEnds = expect(late).rejects.toMatchObject({ code: "E_BUSY" });
    clock.advance(1_799_999);
    const patient = leases.acquire(id);
    clock.advance(1);
    await lateEnds;
    first.release();
    const lease = await patient;
    clock.advance(10_000_000); // its own limit no longer counts
    expect(leases.tryAcquire(id)).toBeNull();
    lease.release();
  });

  test("follows a rotation: the child is taken with the parent", async () => {
    const leases = createTurnLeases(manualClock(), () => 1_000);
    const lease = await leases.acquire(id);
    lease.follow(other);
    expect(leases.tryAcquire(other)).toBeNull();
    lease.release();
    expect([leases.isHeld(id), leases.isHeld(other)]).toEqual([false, false]);
  });

  test("whatever comes and goes, a session has at most one holder and nobody waits for a free one", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            act: fc.constantFrom("acquire", "release", "time"),
            session: fc.constantFrom(id, other),
            n: fc.nat(5),
          }),
          { maxLength: 60 },
        ),
        async (steps) => {
          const clock = manualClock();
          const leases = createTurnLeases(clock, () => 100);
          const holding: { session: string; lease: TurnLease }[] = [];
          let waiting = 0;
          for (const { act, session, n } of steps) {
            if (act === "acquire") {
              waiting += 1;
              void leases.acquire(session).then(
                (lease) => {
                  waiting -= 1;
                  holding.push({ session, lease });
                },
                () => {
                  waiting -= 1;
                },
              );
            } else if (act === "release") holding.splice(n, 1)[0]?.lease.release();
            else clock.advance(n * 30);
            await Promise.resolve();
            await Promise.resolve();
            await Promise.resolve();
            for (const one of [id, other]) {
              const holders = holding.filter((held) => held.session === one).length;
              expect(holders).toBeLessThanOrEqual(1);
              expect(leases.isHeld(one)).toBe(holders === 1);
            }
          }
          clock.advance(1_000);
          await new Promise(setImmediate);
          for (let held = holding.pop(); held; held = holding.pop()) {
            held.lease.release();
            await new Promise(setImmediate);
          }
          expect(waiting).toBe(0);
        },
      ),
    );
  });
});
