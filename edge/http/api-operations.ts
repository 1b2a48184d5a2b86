import type { AnyApiOperation } from './api-operation.ts'
import { listChainsOperation } from './chains-get.ts'
import { meOperation } from './me.ts'
import { cancelRunOperation } from './runs-cancel.ts'
import { getRunOperation } from './runs-get.ts'
import { listRunsOperation } from './runs-list.ts'
import { replayRunOperation } from './runs-replay.ts'
import { createTriggerOperation } from './triggers-create.ts'
import { deleteTriggerOperation } from './triggers-delete.ts'
import { getTriggerOperation } from './triggers-get.ts'
import { listTriggersOperation } from './triggers-list.ts'
import { patchTriggerOperation } from './triggers-patch.ts'
import { previewTriggerOperation } from './triggers-preview.ts'
import { purgeTriggerOperation } from './triggers-purge.ts'
import { testTriggerOperation } from './triggers-test.ts'

/** All operations of the trigger API, in the order of `openapi.json`. */
export const apiOperations: readonly AnyApiOperation[] = [
  meOperation,
  createTriggerOperation,
  listTriggersOperation,
  previewTriggerOperation,
  listChainsOperation,
  getTriggerOperation,
  patchTriggerOperation,
  deleteTriggerOperation,
  listRunsOperation,
  testTriggerOperation,
  purgeTriggerOperation,
  getRunOperation,
  replayRunOperation,
  cancelRunOperation,
]
