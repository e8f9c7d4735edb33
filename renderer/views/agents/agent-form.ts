import type { AgentRow } from "../../../core/contract/domain.ts";

/** Servers that are known by where they usually answer. */
export const presets = {
  ollama: { id: "ollama", baseUrl: "http://127.0.0.1:11434/v1", name: "Ollama" },
  "lm-studio": { id: "lm-studio", baseUrl: "http://127.0.0.1:1234/v1", name: "LM Studio" },
  openai: { id: "openai", baseUrl: "https://api.openai.com/v1", name: "OpenAI" },
  custom: { id: "", baseUrl: "", name: null },
} as const;
export type Preset = keyof typeof presets;
export const presetIds = Object.keys(presets) as Preset[]; // a literal's own keys

/** An OpenAI-compatible server as its dialog holds it: what was typed, not yet checked. */
export interface AgentForm {
  preset: Preset;
  id: string;
  baseUrl: string;
  /** Null keeps the stored one. */
  apiKey: string | null;
  /** Empty: the first that the server names. */
  model: string;
}

/** A new server by its preset. */
export function presetForm(preset: Preset, taken: readonly string[]): AgentForm {
  const { id, baseUrl } = presets[preset];
  return { preset, id: taken.includes(id) ? "" : id, baseUrl, apiKey: "", model: "" };
}

/** The form of a server that is configured, or of one that was found and is to be kept. */
export function agentForm(row: AgentRow): AgentForm {
  return {
    preset: "custom",
    id: row.id,
    baseUrl: row.baseUrl ?? "",
    apiKey: row.hasKey ? null : "",
    model: row.model ?? "",
  };
}

export type AgentField = "id" | "baseUrl" | "apiKey" | "model";
export type AgentFault = "id" | "idTaken" | "baseUrl";

const isId = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(id);
const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:/i.test(url);

/** What is wrong with what was typed, by field. */
export function agentFaults(
  form: AgentForm,
  taken: readonly string[],
): Partial<Record<AgentField, AgentFault>> {
  return {
    ...(isId(form.id) ? (taken.includes(form.id) ? { id: "idTaken" } : {}) : { id: "id" }),
    ...(isHttp(form.baseUrl.trim()) ? {} : { baseUrl: "baseUrl" }),
  };
}

/** The settings entry of a form; a key that stays is named as kept. */
export function agentEntry(form: AgentForm): Record<string, unknown> {
  return {
    baseUrl: form.baseUrl.trim(),
    ...(form.model.trim() === "" ? {} : { model: form.model.trim() }),
    ...(form.apiKey === null ? { apiKey: { hasKey: true } } : {}),
    ...(form.apiKey !== null && form.apiKey !== "" ? { apiKey: form.apiKey } : {}),
  };
}

/** What a test was about: with anything else typed it no longer counts. */
export const testedPart = ({ baseUrl, apiKey }: AgentForm): string =>
  JSON.stringify([baseUrl.trim(), apiKey]);

/** The field of the form that an error of the gateway speaks of; null for the form as a whole. */
export function faultyField(path: unknown): AgentField | null {
  if (typeof path !== "string") return null;
  for (const field of ["baseUrl", "apiKey", "model"] as const)
    if (path === field || path.endsWith(`.${field}`)) return field;
  return /^agents\.[^.]*$/.test(path) ? "id" : null;
}
