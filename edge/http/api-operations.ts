import {
  deleteVersionOperation,
  getVersionOperation,
  listVersionsOperation,
  saveVersionOperation,
} from './action-versions.ts'
import { createActionOperation, listActionsOperation } from './actions-list.ts'
import { deleteActionOperation, getActionOperation, patchActionOperation } from './actions-one.ts'
import {
  createAlertChannelOperation,
  deleteAlertChannelOperation,
  listAlertChannelsOperation,
  patchAlertChannelOperation,
  rotateAlertSecretOperation,
  testAlertChannelOperation,
} from './alerts-channels.ts'
import {
  listAlertDeliveriesOperation,
  listIncidentsOperation,
  testAlertOperation,
} from './alerts-history.ts'
import {
  getAlertSettingsOperation,
  patchAlertSettingsOperation,
  patchTriggerAlertsOperation,
  resetTriggerAlertsOperation,
} from './alerts-settings.ts'
import type { AnyApiOperation } from './api-operation.ts'
import { listChainsOperation } from './chains-get.ts'
import { listErrorGroupsOperation } from './failed-runs-groups.ts'
import { listAllRunsOperation } from './all-runs-list.ts'
import { listFailedRunsOperation } from './failed-runs-list.ts'
import { meOperation } from './me.ts'
import { cancelReplayOperation } from './replays-cancel.ts'
import { startReplayOperation } from './replays-create.ts'
import { getReplayOperation } from './replays-get.ts'
import { listReplaysOperation } from './replays-list.ts'
import { previewReplayOperation } from './replays-preview.ts'
import { cancelRunOperation } from './runs-cancel.ts'
import { getRunOperation } from './runs-get.ts'
import { listRunsOperation } from './runs-list.ts'
import { replayRunOperation } from './runs-replay.ts'
import { createTriggerOperation } from './triggers-create.ts'
import { triggerLogOperation } from './audit-log.ts'
import { deleteTriggerOperation } from './triggers-delete.ts'
import { getTriggerOperation } from './triggers-get.ts'
import { listTriggersOperation } from './triggers-list.ts'
import { patchTriggerOperation } from './triggers-patch.ts'
import { previewTriggerOperation } from './triggers-preview.ts'
import { purgeTriggerOperation } from './triggers-purge.ts'
import { tailTriggerOperation } from './triggers-tail.ts'
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
  triggerLogOperation,
  listRunsOperation,
  tailTriggerOperation,
  testTriggerOperation,
  purgeTriggerOperation,
  getRunOperation,
  replayRunOperation,
  cancelRunOperation,
  listAllRunsOperation,
  listFailedRunsOperation,
  listErrorGroupsOperation,
  previewReplayOperation,
  startReplayOperation,
  listReplaysOperation,
  getReplayOperation,
  cancelReplayOperation,
  listIncidentsOperation,
  getAlertSettingsOperation,
  patchAlertSettingsOperation,
  patchTriggerAlertsOperation,
  resetTriggerAlertsOperation,
  listAlertDeliveriesOperation,
  testAlertOperation,
  listAlertChannelsOperation,
  createAlertChannelOperation,
  patchAlertChannelOperation,
  deleteAlertChannelOperation,
  rotateAlertSecretOperation,
  testAlertChannelOperation,
  listActionsOperation,
  createActionOperation,
  getActionOperation,
  patchActionOperation,
  deleteActionOperation,
  listVersionsOperation,
  saveVersionOperation,
  getVersionOperation,
  deleteVersionOperation,
]
