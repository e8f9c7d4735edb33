import { describe, expect, test } from "vitest";
import { fakeWorld } from "../../bridge/fake/fake-world.ts";
import {
  agentEntry,
  agentFaults,
  agentForm,
  faultyField,
  presetForm,
  testedPart,
} from "./agent-form.ts";

const { agents } = fakeWorld({ sessions: 0, nowMs: 0 });
const claude = agents.find(({ id }) => id === "claude");
const ollama = agents.find(({ id }) => id === "ollama");
if (claude === undefined || ollama === undefined) throw new Error("the seed has both");

describe("an agent's form", () => {
  test("one with a stored key keeps it, and never holds it", () => {
    const form = agentForm(claude);
    expect(form.apiKey).toBeNull();
    expect(agentEntry(form)).toEqual({
      baseUrl: "https://models.example/v1",
      model: "large-2",
      apiKey: { hasKey: true },
    });
  });

  test("a found one is kept without a key", () => {
    expect(agentEntry(agentForm(ollama))).toEqual({
      baseUrl: "http://127.0.0.1:11434/v1",
      model: "llama3.2",
    });
  });

  test("an emptied key is taken out, a new one is written", () => {
    const form = agentForm(claude);
    expect(agentEntry({ ...form, apiKey: "" })).not.toHaveProperty("apiKey");
    expect(agentEntry({ ...form, apiKey: "k" })).toMatchObject({ apiKey: "k" });
  });

  test("a preset whose name is taken leaves the name to the operator", () => {
    expect(presetForm("ollama", []).id).toBe("ollama");
    expect(presetForm("ollama", ["ollama"])).toMatchObject({
      id: "",
      baseUrl: "http://127.0.0.1:11434/v1",
    });
  });

  test("a test counts for its address and key, whatever the model", () => {
    const form = presetForm("openai", []);
    expect(testedPart({ ...form, model: "other" })).toBe(testedPart(form));
    expect(testedPart({ ...form, apiKey: "k" })).not.toBe(testedPart(form));
    expect(testedPart({ ...form, baseUrl: "http://x/v1" })).not.toBe(testedPart(form));
  });
});

test.each([
  { changes: {}, faults: {} },
  { changes: { id: "a.b" }, faults: { id: "id" } },
  { changes: { id: "mine" }, faults: { id: "idTaken" } },
  { changes: { baseUrl: "localhost:11434" }, faults: { baseUrl: "baseUrl" } },
  { changes: { baseUrl: "" }, faults: { baseUrl: "baseUrl" } },
])("$changes: $faults", ({ changes, faults }) => {
  expect(agentFaults({ ...presetForm("ollama", []), ...changes }, ["mine"])).toEqual(faults);
});

test.each([
  ["agents.mine.baseUrl", "baseUrl"],
  ["baseUrl", "baseUrl"],
  ["agents.mine", "id"],
  ["channels.webhook.a", null],
  [undefined, null],
])("the gateway's %s is the field %s", (path, field) => {
  expect(faultyField(path)).toBe(field);
});
