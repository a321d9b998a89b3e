/** What this process does about a bug: at first it only says so, and whoever starts something here adds what must end. */
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { Bugs } from "../../terminal/bugs.ts";

export const bugs = new Bugs(SYSTEM_CLOCK.now);
