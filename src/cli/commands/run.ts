/**
 * `agent run`: the supervisor is this process, or with `--detach` one of its own. With `--continue` and `--resume` the task is the next
 * message of a conversation. Inside a run: a child agent.
 */
import type { Command } from "../../project/config/command-table.ts";
import { startRun } from "../start/start.ts";

export const command: Command = ([task], values) => startRun("run", task, values);
