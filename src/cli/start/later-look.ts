/** The look for what a run changes that other programs run later, with the clock and the home of this process. */
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { personOf } from "../../project/person.ts";
import type { RunSettings } from "../../supervisor/run-settings.ts";
import { beginLaterLook } from "../../worktree/look-for-later.ts";
import type { RunsLater } from "../../worktree/runs-later.ts";

type Began = Pick<RunSettings, "cwd" | "worktree"> & { readonly env: Readonly<Record<string, string | undefined>> };

export function laterLook({ cwd, worktree, env }: Began): () => RunsLater[] {
	return beginLaterLook(worktree?.cwd ?? cwd, { person: personOf(env), now: SYSTEM_CLOCK.now });
}
