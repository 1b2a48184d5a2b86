/** Runs the origin as `origin/main.ts` does, with the sandbox template that all origins of a test run share. */
import { runOrigin } from '../../origin/service.ts'
import { keptTemplate } from '../origin/actions/kept-template.ts'

runOrigin(keptTemplate())
