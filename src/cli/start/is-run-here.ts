/** Do the last characters name one of this user's runs? */

import { AgentreeError } from "../../core/errors.ts";
import { readableStateDirectory } from "../../project/config/chosen-directory.ts";
import { listRuns } from "../../record/read-run.ts";

export function isRunHere(word: string): boolean {
	if (!/^[a-z0-9]{4,}$/.test(word)) return false;
	try {
		const { path } = readableStateDirectory({ env: process.env, cwd: "/", uid: process.getuid?.() ?? 0 });
		return listRuns(path).some((run) => run.endsWith(`-${word}`));
	} catch (error) {
		if (error instanceof AgentreeError) return false; // whoever needs the directory says what is wrong with it
		throw error;
	}
}
