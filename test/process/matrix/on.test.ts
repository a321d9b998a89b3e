/** The column "on" of the table in docs/guarantees.md. */
import { describe } from "vitest";
import { NO_SANDBOX, SKIPPED } from "../sandbox/no-sandbox.ts";
import { tryFeatures } from "./try-features.ts";

describe.skipIf(NO_SANDBOX !== undefined)(`with the sandbox${SKIPPED}`, () => tryFeatures("on"));
