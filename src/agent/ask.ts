/**
 * `agent ask`, in a command of an agent: it asks a person, waits, and prints the answer. Nothing here ends the wait: the command's
 * clock stands still. A bundle of its own, as that of `agent todo`.
 */

import { defined } from "../core/defined.ts";
import type { SupervisorAddress } from "../core/run/cookie.ts";
import { type Answer, saidNo } from "../core/run/questions.ts";
import { CANNOT_WRITE, cannotWrite, complain, print } from "../terminal/print.ts";
import { stdinText } from "../terminal/stdin.ts";
import { type AskArgs, askArgs, usage } from "./ask-args.ts";
import { askOwnSupervisor } from "./ask-supervisor.ts";
import { runOutside } from "./run-outside.ts";

const SAID_NO = 1;

interface Question {
	readonly text: string;
	readonly choices?: readonly string[];
	readonly why?: string;
}

/** `args`: behind the word `ask`. Undefined when its help is asked for, which the command line has. Throws AgentreeError. */
export async function runAsk(
	args: readonly string[],
	supervisor: Pick<SupervisorAddress, "socket" | "command">,
): Promise<number | undefined> {
	const asked = askArgs(args);
	if (asked.isHelp) return undefined;
	if (asked.run !== undefined) return runOutside({ ...asked, run: asked.run }, supervisor);
	const said = await ask(supervisor.socket, await questionOf(asked));
	if (said.is === "unanswered") {
		complain(`agent: ${said.reason}`);
		return SAID_NO;
	}
	const { answer } = said;
	switch (answer.is) {
		case "allow":
		case "always":
		case "project":
			return printed("yes");
		case "words":
			return printed(answer.text);
		case "no":
		case "stop":
			complain(`agent: ${saidNo(answer)}`);
			return SAID_NO;
	}
}

async function printed(text: string): Promise<number> {
	const done = await print(1, `${text}\n`);
	if (done.is !== "failed") return 0;
	complain(cannotWrite(done.reason));
	return CANNOT_WRITE;
}

async function questionOf({ words, choices, why, allowWrite, allowHost }: AskArgs): Promise<Question> {
	if (allowWrite.length + allowHost.length > 0) throw usage("--allow-write and --allow-host need --run COMMAND");
	if (words.length > 1)
		throw usage('the question is one argument; quote it, as in agent ask "which port?" --choices 80,8080');
	const text = words[0] === undefined || words[0] === "-" ? (await stdinText()).trimEnd() : words[0];
	if (text.trim() === "") throw usage('no question: agent ask "which port?", or pipe it in');
	return { text, ...defined({ choices: choices === undefined ? undefined : choicesOf(choices), why }) };
}

function choicesOf(value: string): string[] {
	const choices = value.split(",").map((choice) => choice.trim());
	if (choices.includes("")) throw usage(`--choices ${value} has an empty one: separate them by single commas`);
	if (new Set(choices).size < choices.length) throw usage(`--choices ${value} has one twice`);
	return choices;
}

type Said =
	| { readonly is: "answered"; readonly answer: Answer }
	| { readonly is: "unanswered"; readonly reason: string };

function ask(socket: string, question: Question): Promise<Said> {
	return askOwnSupervisor<Said>(socket, {
		request: { say: "question", ...question },
		hears: ["asked", "answered", "unanswered"],
		answerIn: (message) => {
			if (message.say === "unanswered") return { is: "unanswered", reason: message.reason };
			return message.say === "answered" ? { is: "answered", answer: message.answer } : undefined;
		},
		meaning: ": the question has no answer",
	});
}
