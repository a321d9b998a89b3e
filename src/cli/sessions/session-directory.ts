/** The directory that a session goes on in, and what the person is told of it; the supervisor tells the model. */
import type { RunFile } from "../../core/model/transcript.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { directoryId, statsOf } from "../../record/files/regular-file.ts";

export interface SessionDirectory {
	readonly cwd: string;
	/** One line for the person; undefined: it is the directory that they are in, by the name that it had. */
	readonly notice?: string;
}

/**
 * A session goes on in its own directory. Where that was renamed, or is gone, it moves to the directory that the person is in:
 * `here`.
 */
export function sessionDirectory({ run, cwd, cwdId }: RunFile, here: string): SessionDirectory {
	if (cwd === here) return { cwd };
	const isRenamed = cwdId !== undefined && directoryId(here) === cwdId;
	if (!isRenamed && statsOf(cwd)?.isDirectory() === true)
		return { cwd, notice: `run ${run} continues in its own directory, ${cwd}` };
	const why = isRenamed ? "which was renamed" : "which no longer exists";
	return { cwd: here, notice: `run ${run} continues in ${here}; it was in ${cwd}, ${why}` };
}

/** The options for a session that goes on, with its directory where the person names none. `say`: tells them of it. */
export function withSessionDirectory(
	values: OptionValues,
	file: RunFile,
	{ here, say }: { here: string; say: (notice: string) => void },
): OptionValues {
	if (values.cd !== undefined) return values;
	const { cwd, notice } = sessionDirectory(file, here);
	if (notice === undefined) return values;
	say(notice);
	return { ...values, cd: cwd };
}
