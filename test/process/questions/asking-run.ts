/** A run whose agents ask a person, and the person who answers with the command line. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { type Program, runProgram, startProgram, temporaryHome } from "../program.ts";

export interface AskingRun extends Program {
	/** Resolves when so many questions have been asked. */
	asked(count?: number): Promise<AskedEvent[]>;
	/** `agent answer …`, from outside. */
	answer(...args: string[]): Promise<{ exit: unknown; stdout: string; stderr: string }>;
	printed(): Promise<string>;
}

export type AskedEvent = Extract<RunEvent, { event: "question_asked" }>;

/** Runs the script in bash as the root's command. */
export function startAsking(
	script: string,
	options: readonly string[] = ["--ask-wait"],
	home = temporaryHome(),
): AskingRun {
	writeFileSync(join(home, "s.sh"), script);
	const program = startProgram(["run", "-m", "shell", ...options, "bash s.sh"], { home });
	return asking(program);
}

export function asking(program: Program): AskingRun {
	const { home } = program;
	return {
		...program,
		asked: async (count = 1) => {
			await program.waitForEvent(() => questionsIn(program).length >= count);
			return questionsIn(program);
		},
		answer: (...args) => runProgram(["answer", ...args], { home }),
		printed: async () => (await program.ended).stdout.toString(),
	};
}

function questionsIn(program: Program): AskedEvent[] {
	return program.events().filter((event): event is AskedEvent => event.event === "question_asked");
}
