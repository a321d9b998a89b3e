/**
 * Decides the sandbox of a run: `workspace` unless something else is asked for, where bubblewrap can make one. Flags go before
 * variables, these before the user's configuration; a resumed run keeps what confined it before. Pure: look-at-sandbox.ts reads.
 */
import { AgentreeError } from "../../core/errors.ts";
import type { Confinement, Mount, SandboxMode, SandboxWish } from "../../core/machine/sandbox.ts";
import { withConfiguredSandbox } from "../../project/config/sandbox-options.ts";
import { type ConfinementFacts, confinementOf, type Place } from "../../sandbox/confinement-of.ts";
import { configuredAgain, joined, wishAgain, withGrants } from "../../sandbox/derived-confinements.ts";
import { isOwn } from "../../sandbox/own-places.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";
import type { StartRequest } from "./start-request.ts";

const DEFAULT_MODE = "workspace";

/** The sandbox of a run before it is resumed. `unknown`: its files do not say. */
export type FormerSandbox =
	| { readonly is: "unknown" }
	| { readonly is: "none" }
	| { readonly is: "some"; readonly was: Confinement };

export type WantedSandbox =
	| { readonly is: "off" }
	| { readonly is: "wanted"; readonly mode: Confinement["mode"]; readonly wish: SandboxWish };

export interface SandboxContext {
	/** The user's home directory. */
	readonly userHome: string | undefined;
	/** What the user's configuration file says. */
	readonly configured?: SandboxWish | undefined;
	/** The mode of the root's role. */
	readonly roleMode?: SandboxMode | undefined;
	/** Of a resumed run. */
	readonly before?: FormerSandbox | undefined;
}

export function wantedSandbox(
	{ sandbox: asked, asking, cwd }: Pick<StartRequest, "sandbox" | "asking" | "cwd">,
	{ userHome, configured, roleMode, before }: SandboxContext,
): WantedSandbox {
	if (asking?.skipsPermissions) return { is: "off" };
	const former = before?.is === "some" ? before.was : undefined;
	const isKnown = before !== undefined && before.is !== "unknown";
	const today = configured && isKnown ? configuredAgain(configured, former) : configured;
	const wish = withConfiguredSandbox(asked, today, { cwd, home: userHome }) ?? {};
	const mode = wish.mode ?? former?.mode ?? (before?.is === "none" && asked === undefined ? "off" : DEFAULT_MODE);
	if (mode === "off") return { is: "off" };
	return { is: "wanted", mode: roleMode === "read-only" ? roleMode : mode, wish };
}

/** Why a run without a sandbox would not be what was asked for; undefined when it may start without one. */
export function whyNeeded(wish: SandboxWish, before: FormerSandbox | undefined): string | undefined {
	const { isRequired, mode, network, denyRead = [] } = wish;
	if (isRequired) return "--sandbox required refuses to start without one";
	const without = "to start without one, use --sandbox off instead";
	if (network === "none" || network === "proxy") return `--net ${network} needs one: ${without}`;
	if (denyRead.length > 0) return `--deny-read needs one: ${without}`;
	if (mode === "read-only") return `--sandbox read-only needs one: ${without}`;
	return before?.is === "some" ? "the run had one: to resume it without, use --sandbox off" : undefined;
}

export type FoundSandbox =
	| { readonly is: "off" }
	/** `reason`: why there is none, with what would help. */
	| { readonly is: "none"; readonly reason: string }
	| {
			readonly is: "some";
			readonly program: string;
			readonly mode: Confinement["mode"];
			readonly wish: SandboxWish;
			readonly facts: ConfinementFacts;
			/** As it is, without what git is about to make. */
			readonly lookAt: (path: string) => Place | undefined;
	  };

/** `asked`: by flags and variables. Throws AgentreeError("usage") in a directory of agentree's own. */
export function planSandbox(
	found: FoundSandbox,
	asked: SandboxWish | undefined,
	before: FormerSandbox | undefined,
): Pick<RunSettings, "sandbox" | "noSandbox"> {
	switch (found.is) {
		case "off":
			return {};
		case "none":
			return { noSandbox: found.reason };
		case "some":
			return { sandbox: { program: found.program, confinement: confinementFor(found, asked ?? {}, before) } };
	}
}

function confinementFor(
	{ mode, wish, facts, lookAt }: Extract<FoundSandbox, { is: "some" }>,
	asked: SandboxWish,
	before: FormerSandbox | undefined,
): Confinement {
	if (isOwn(facts.cwd, facts.own)) throw ownDirectory(facts.cwd);
	const was = before?.is === "some" ? before.was : undefined;
	const again = was === undefined ? wish : wishAgain(asked, wish, was);
	const flagged = asked.allowWrite ?? was?.mounts.flatMap(({ path, isGranted }) => (isGranted ? [path] : [])) ?? [];
	const granted = flagged.flatMap((path) => lookAt(path)?.path ?? []);
	const today = withGrants(confinementOf({ ...again, mode }, facts), granted);
	const isThere = ({ path }: Mount) => lookAt(path) !== undefined;
	return was === undefined ? today : joined(today, was, { wish: again, isThere });
}

function ownDirectory(directory: string): AgentreeError {
	const why = `${directory} belongs to agentree itself: sandboxed commands cannot read or write there`;
	return new AgentreeError("usage", `${why}; start in another directory, or use --sandbox off`);
}
