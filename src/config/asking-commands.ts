/** The commands by which agents ask, and a person answers: rows of the table of commands. */
import type { CommandRow } from "./command-row.ts";
import { JSON_OUTPUT } from "./option-table.ts";

export const ASKING_COMMANDS: readonly CommandRow[] = [
	{
		word: "ask",
		arguments: ["[question]"],
		help: "in an agent's bash: asks a person, waits as long as it takes, and prints the answer",
		options: [
			{ flag: "choices", value: "A,B,C", help: "the answers that fit" },
			{ flag: "why", value: "TEXT", help: "the reason, which the person sees, too" },
			{ flag: "run", value: "COMMAND", help: "asks to run this once outside of the sandbox, and runs it after a yes" },
			{ flag: "allow-write", value: "DIR", help: "with --run: in the sandbox, with this directory writable, too" },
			{ flag: "allow-host", value: "NAME", help: "with --run: in the sandbox, with this host reachable, too" },
		],
	},
	{
		word: "questions",
		arguments: ["[ref]"],
		help: "what agents ask and nobody has answered, of a run, or of all that run now",
		options: [{ flag: "follow", short: "f", help: "until the run is over" }, JSON_OUTPUT],
	},
	{
		word: "answer",
		arguments: ["<question>", "<answer>", "[words]"],
		help: "answers a question: allow, always, project, no, stop, one of its choices, or words; QUESTION is RUN#N, or N while one run goes on",
		options: [JSON_OUTPUT],
		tooMany: 'the words are one argument: quote them, as in agent answer 3 no "use the staging server"',
	},
];
