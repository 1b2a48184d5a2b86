import { accountExists } from './account-exists.ts'
import { addAction } from './add-action.ts'
import { addActionToGroup } from './add-action-to-group.ts'
import { addGroup } from './add-group.ts'
import { addPkpToGroup } from './add-pkp-to-group.ts'
import { addUsageApiKey } from './add-usage-api-key.ts'
import { addUsageApiKeyWithSignature } from './add-usage-api-key-with-signature.ts'
import { billingBalance } from './billing-balance.ts'
import { billingConfirmPayment } from './billing-confirm-payment.ts'
import { billingCreatePaymentIntent } from './billing-create-payment-intent.ts'
import { billingProcessorConfig } from './billing-processor-config.ts'
import { billingUsage } from './billing-usage.ts'
import { convertToChainSecuredAccount } from './convert-to-chain-secured-account.ts'
import { createWallet } from './create-wallet.ts'
import { createWalletWithSignature } from './create-wallet-with-signature.ts'
import { deleteAction } from './delete-action.ts'
import { getAccount } from './get-account.ts'
import { getGroup } from './get-group.ts'
import { getLimits } from './get-limits.ts'
import { getNodeChainConfig, getNodeChainConfigCore } from './get-node-chain-config.ts'
import { getSvcActionIpfsId } from './get-svc-action-ipfs-id.ts'
import { getSvcActionWallet } from './get-svc-action-wallet.ts'
import { listActions } from './list-actions.ts'
import { listApiKeys } from './list-api-keys.ts'
import { listGroups } from './list-groups.ts'
import { listWallets } from './list-wallets.ts'
import { listWalletsInGroup } from './list-wallets-in-group.ts'
import { getVersion } from './get-version.ts'
import { newAccount } from './new-account.ts'
import type { Operation } from './operation.ts'
import { removeActionFromGroup } from './remove-action-from-group.ts'
import { removeGroup } from './remove-group.ts'
import { removePkpFromGroup } from './remove-pkp-from-group.ts'
import { removeUsageApiKey } from './remove-usage-api-key.ts'
import { rotateAccountApiKey } from './rotate-account-api-key.ts'
import { svcAction } from './svc-action.ts'
import { updateActionMetadata } from './update-action-metadata.ts'
import { updateGroup } from './update-group.ts'
import { updateUsageApiKey } from './update-usage-api-key.ts'

/** Order of `openapi.json`. */
export const operations: readonly Operation<any, any>[] = [
  newAccount,
  accountExists,
  getAccount,
  rotateAccountApiKey,
  convertToChainSecuredAccount,
  createWallet,
  createWalletWithSignature,
  listWallets,
  listWalletsInGroup,
  addGroup,
  updateGroup,
  removeGroup,
  listGroups,
  getGroup,
  addPkpToGroup,
  removePkpFromGroup,
  addActionToGroup,
  removeActionFromGroup,
  addAction,
  updateActionMetadata,
  deleteAction,
  listActions,
  addUsageApiKey,
  addUsageApiKeyWithSignature,
  updateUsageApiKey,
  removeUsageApiKey,
  listApiKeys,
  getSvcActionIpfsId,
  getSvcActionWallet,
  svcAction,
  billingBalance,
  billingUsage,
  billingProcessorConfig,
  billingCreatePaymentIntent,
  billingConfirmPayment,
  getNodeChainConfig,
  getNodeChainConfigCore,
  getVersion,
  getLimits,
]
