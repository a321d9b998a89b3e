/** What was typed at this process's terminal before there was a prompt. */
import { isInForeground, ownJob } from "../../processes/foreground.ts";
import { TypeAhead } from "../../tui/terminal/raw-input.ts";
import { hasScreen } from "./has-screen.ts";

export const typedAhead = new TypeAhead({
	mayHold: () => hasScreen() && isInForeground(),
	interrupt: () => ownJob(process.env, []).interrupt(),
});
