/** `agent chat`, and `agent` without a task: a conversation on a terminal. It is refused inside a run. */

import { AgentreeError } from "../../core/errors.ts";
import type { Command } from "../../project/config/command-table.ts";
import { chat } from "../chat/chat.ts";
import { supervisorHere } from "../io/inside-run.ts";
import { hasTerminal, withProcessIo } from "../io/process-io.ts";

/** Other commands are loaded when they are used: the prompt comes first. */
export const chatCommand: Command = async ([message], values) => {
	if (supervisorHere() !== undefined)
		throw new AgentreeError("usage", 'agent chat is not available inside a run; to start a child agent: agent "task"');
	if (values["json-schema"] !== undefined)
		throw new AgentreeError(
			"usage",
			"--json-schema is not available in a chat: use agent run --json-schema FILE, for a conversation with --input-format stream-json",
		);
	if (!hasTerminal())
		throw new AgentreeError(
			"usage",
			'a chat needs a terminal; without one: agent run "task", then agent run -c "next"',
		);
	return chat(message, values, {
		ps: async (ref, io) => (await import("./ps.ts")).ps([ref], {}, io),
		ls: async (words, io) => (await import("./ls.ts")).ls([words], {}, io),
		show: async (ref, io) => (await import("./show.ts")).show([ref], {}, io),
		stop: (ref) =>
			withProcessIo(async (io) => (await import("./stop.ts")).stop([ref], {}, { ...io, stdout: io.stderr })),
	});
};
