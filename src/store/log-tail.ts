/** The end of a command's raw output. */
import { join } from "node:path";
import type { AgentId } from "../core/agent.ts";
import { readTail, type Tail } from "./file-tail.ts";
import { agentDirectory } from "./run-directory.ts";

const TAIL_BYTES = 64 * 1024;

/**
 * `log` as an event has it, whose schema lets no name lead elsewhere: `out/0003.log`. Undefined when there is no such file,
 * and when it still has `knownBytes`. Throws AgentreeError("not_found") when it cannot be read.
 */
export function readLogTail(directory: string, agent: AgentId, log: string, knownBytes?: number): Tail | undefined {
	return readTail(join(agentDirectory(directory, agent), log), TAIL_BYTES, knownBytes);
}
