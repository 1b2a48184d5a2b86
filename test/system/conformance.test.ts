import { SERVED } from '../conformance/areas.ts'
import { holdsToTheContract } from '../conformance/suite.ts'
import { startStack } from './stack.ts'

holdsToTheContract(() => startStack(), SERVED)
