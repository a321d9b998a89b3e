/** Where the dashboard looks by itself, beside what the supervisor tells: the event log, running commands, the supervisor's process. */
import { CommandWatch } from "./command-watch.ts";
import type { DashboardOptions } from "./options.ts";
import { followRunEvents } from "./run-events.ts";
import type { Picture } from "./scene/scene.ts";
import { SILENCE_MS, type Silence } from "./silence.ts";
import type { Input } from "./update.ts";

const COMMANDS_MS = 1_000;

export interface SourcesListener {
	readonly picture: () => Picture;
	readonly onInput: (input: Input) => void;
	readonly onError: (error: unknown) => void;
}

/** Returns what ends it. */
export function followSources(
	options: Pick<DashboardOptions, "runDirectory" | "now">,
	silence: Silence,
	{ picture, onInput, onError }: SourcesListener,
): () => void {
	const stopEvents = followRunEvents(options.runDirectory, { onInput, onError });
	const onSeen = (commands: Picture["activity"]["commands"]) => onInput({ is: "activity", commands });
	const commands = new CommandWatch({ ...options, picture, onSeen });
	const lookAtSupervisor = async () => {
		const input = silence.look(picture(), options.now());
		if (input !== undefined) onInput(input);
	};
	const timers = [
		setInterval(() => void commands.tick().catch(onError), COMMANDS_MS),
		setInterval(() => void lookAtSupervisor().catch(onError), SILENCE_MS),
	];
	return () => {
		stopEvents();
		for (const timer of timers) clearInterval(timer);
	};
}
