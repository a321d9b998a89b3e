#!/usr/bin/env -S node --

require("../dist/agent.js");
