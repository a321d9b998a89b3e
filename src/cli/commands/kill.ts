/** `agent kill`: as `agent stop`, at once. */
import type { Command } from "../../project/config/command-table.ts";
import { withProcessIo } from "../io/process-io.ts";
import { stop } from "./stop.ts";

export const command: Command = ([ref], { json }) =>
	withProcessIo((io) => stop({ ref, isKill: true, json: json === true }, io));
