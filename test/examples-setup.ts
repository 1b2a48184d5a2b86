/** Runs the tests of an example in its folder, as `svc test` does in a project. */
import { dirname } from 'node:path'
import { expect } from 'vitest'

process.chdir(dirname(dirname(expect.getState().testPath!)))
