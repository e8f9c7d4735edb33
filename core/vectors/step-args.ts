import { isJsonObject, own } from "../sessions/stored-json.ts";
import type { JsonObject } from "../sessions/stored-json.ts";
import type { AwarenessWorld } from "./awareness-world.ts";

/** Readers for the arguments of a scenario's step. */
export type Args = JsonObject;

export const text = (args: Args, name: string): string => {
  const value = own(args, name);
  return typeof value === "string" ? value : "";
};
export const optional = (args: Args, name: string): string | null => {
  const value = own(args, name);
  return typeof value === "string" ? value : null;
};
export const number = (args: Args, name: string, otherwise: number): number => {
  const value = own(args, name);
  return typeof value === "number" ? value : otherwise;
};
export const object = (args: Args, name: string): JsonObject => {
  const value = own(args, name);
  return isJsonObject(value) ? value : {};
};
export const texts = (args: Args, name: string): string[] => {
  const value = own(args, name);
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
};
export const list = (args: Args, name: string): JsonObject[] => {
  const value = own(args, name);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
};
export const agent = (args: Args): string => optional(args, "agent") ?? "main";
export const offset = (world: AwarenessWorld, args: Args): number | undefined => {
  const value = own(args, "occurredAtOffsetMs");
  return typeof value === "number" ? world.nowMs + value : undefined;
};

