/** `agent resume`: resumes a run from its files; inside a run, a child agent. */
import type { Command } from "../../project/config/command-table.ts";
import { resumeRun } from "../start/start.ts";

export const command: Command = ([ref, message], values) => resumeRun(ref, message, values);
