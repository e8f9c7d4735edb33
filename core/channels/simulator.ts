import type { SessionSource } from "../sessions/session-source.ts";
import type { Acceptance, Channel, OutboundMessage, SendOutcome } from "./channel.ts";
import { transcriptChannel } from "./transcript-channel.ts";

/** Decides, in tests, how a send ends; null leaves it delivered. */
export type SendScript = (
  message: OutboundMessage,
  signal: AbortSignal,
) => SendOutcome | Promise<SendOutcome> | null;

export interface SimulatorChannel extends Channel {
  /**
   * A message as if it came from that platform, chat and person.
   *
   * @throws {SignalboxError} what `accept` throws, and E_CHANNEL_DOWN while the channel is stopped.
   */
  post(source: SessionSource, text: string, messageId: string | null): Promise<Acceptance>;
  /** From now on `script` decides how sends end; null ends that. */
  script(script: SendScript | null): void;
}

/** Carries messages as any platform, for trying rules without accounts. Its replies are read in the transcript. */
export function simulatorChannel(): SimulatorChannel {
  const channel = transcriptChannel("simulator");
  let scripted: SendScript | null = null;
  return {
    ...channel,
    async send(message, signal) {
      const plain = await channel.send(message, signal);
      if (plain.kind !== "delivered") return plain;
      return (await scripted?.(message, signal)) ?? plain;
    },
    script(script) {
      scripted = script;
    },
  };
}
