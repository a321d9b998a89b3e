import { probeSandbox } from "../../../src/sandbox/probe.ts";

const probed = probeSandbox(process.env);

/** Undefined when commands can be put into a sandbox here; else why not, for the title of a test that is skipped. */
export const NO_SANDBOX: string | undefined = probed.is === "none" ? probed.reason : undefined;

/** Behind a test's title. */
export const SKIPPED = NO_SANDBOX === undefined ? "" : ` (skipped: ${NO_SANDBOX})`;
