/** Runs the origin like `origin/main.ts`, with the sandbox template shared by all origins of a test run. */
import { runOrigin } from '../../origin/service.ts'
import { keptTemplate } from '../origin/actions/kept-template.ts'

runOrigin(keptTemplate())
