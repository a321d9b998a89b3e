/** `agent tree`: as `agent run`, with a live dashboard. Inside a run: a child agent. */
import type { Command } from "../../project/config/command-table.ts";
import { startRun } from "../start/start.ts";

export const command: Command = ([task], values) => startRun("tree", task, values);
