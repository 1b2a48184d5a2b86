import { accountExistsOperation } from './account-exists.ts'
import { addActionOperation } from './add-action.ts'
import { addActionToGroupOperation } from './add-action-to-group.ts'
import { addGroupOperation } from './add-group.ts'
import { addPkpToGroupOperation } from './add-pkp-to-group.ts'
import { addUsageApiKeyOperation } from './add-usage-api-key.ts'
import { addUsageApiKeyWithSignatureOperation } from './add-usage-api-key-with-signature.ts'
import { auditLogOperation } from './audit-log.ts'
import { billingBalanceOperation } from './billing-balance.ts'
import { billingConfirmPaymentOperation } from './billing-confirm-payment.ts'
import { billingCreatePaymentIntentOperation } from './billing-create-payment-intent.ts'
import { billingProcessorConfigOperation } from './billing-processor-config.ts'
import { billingUsageOperation } from './billing-usage.ts'
import { cancelTransactionOperation } from './cancel-transaction.ts'
import { convertToChainSecuredAccountOperation } from './convert-to-chain-secured-account.ts'
import { createWalletOperation } from './create-wallet.ts'
import { createWalletWithSignatureOperation } from './create-wallet-with-signature.ts'
import { deleteActionOperation } from './delete-action.ts'
import { getAccountOperation } from './get-account.ts'
import { getGroupOperation } from './get-group.ts'
import { getLimitsOperation } from './get-limits.ts'
import {
  getNodeChainConfigOperation,
  getNodeChainConfigCoreOperation,
} from './get-node-chain-config.ts'
import { getSvcActionIpfsIdOperation } from './get-svc-action-ipfs-id.ts'
import { getSvcActionWalletOperation } from './get-svc-action-wallet.ts'
import { getTransactionBalancesOperation } from './get-transaction-balances.ts'
import { getTransactionDefaultsOperation } from './get-transaction-defaults.ts'
import { listActionsOperation } from './list-actions.ts'
import { listApiKeysOperation } from './list-api-keys.ts'
import { listGroupsOperation } from './list-groups.ts'
import { listWalletsOperation } from './list-wallets.ts'
import { listWalletsInGroupOperation } from './list-wallets-in-group.ts'
import { getWalletPolicyOperation } from './get-wallet-policy.ts'
import { getWalletStatementOperation } from './get-wallet-statement.ts'
import { getVersionOperation } from './get-version.ts'
import { newAccountOperation } from './new-account.ts'
import type { Operation } from './operation.ts'
import { removeActionFromGroupOperation } from './remove-action-from-group.ts'
import { removeGroupOperation } from './remove-group.ts'
import { removePkpFromGroupOperation } from './remove-pkp-from-group.ts'
import { removeUsageApiKeyOperation } from './remove-usage-api-key.ts'
import { rotateAccountApiKeyOperation } from './rotate-account-api-key.ts'
import { sendTransactionOperation } from './send-transaction.ts'
import { setTransactionDefaultsOperation } from './set-transaction-defaults.ts'
import { setWalletPolicyOperation } from './set-wallet-policy.ts'
import { setWalletPolicyWithSignatureOperation } from './set-wallet-policy-with-signature.ts'
import { simulateSignatureOperation } from './simulate-signature.ts'
import { speedUpTransactionOperation } from './speed-up-transaction.ts'
import { svcActionOperation } from './svc-action.ts'
import { transactionChainsOperation } from './transaction-chains.ts'
import { transactionsOperation } from './transactions.ts'
import { updateActionMetadataOperation } from './update-action-metadata.ts'
import { updateGroupOperation } from './update-group.ts'
import { updateUsageApiKeyOperation } from './update-usage-api-key.ts'

/** All operations of the core API, in the order of `openapi.json`. */
export const operations: readonly Operation<any, any>[] = [
  newAccountOperation,
  accountExistsOperation,
  getAccountOperation,
  rotateAccountApiKeyOperation,
  convertToChainSecuredAccountOperation,
  createWalletOperation,
  createWalletWithSignatureOperation,
  listWalletsOperation,
  listWalletsInGroupOperation,
  setWalletPolicyOperation,
  setWalletPolicyWithSignatureOperation,
  getWalletPolicyOperation,
  simulateSignatureOperation,
  getWalletStatementOperation,
  sendTransactionOperation,
  transactionsOperation,
  cancelTransactionOperation,
  speedUpTransactionOperation,
  getTransactionBalancesOperation,
  getTransactionDefaultsOperation,
  setTransactionDefaultsOperation,
  transactionChainsOperation,
  addGroupOperation,
  updateGroupOperation,
  removeGroupOperation,
  listGroupsOperation,
  getGroupOperation,
  addPkpToGroupOperation,
  removePkpFromGroupOperation,
  addActionToGroupOperation,
  removeActionFromGroupOperation,
  addActionOperation,
  updateActionMetadataOperation,
  deleteActionOperation,
  listActionsOperation,
  addUsageApiKeyOperation,
  addUsageApiKeyWithSignatureOperation,
  updateUsageApiKeyOperation,
  removeUsageApiKeyOperation,
  listApiKeysOperation,
  getSvcActionIpfsIdOperation,
  getSvcActionWalletOperation,
  svcActionOperation,
  billingBalanceOperation,
  billingUsageOperation,
  billingProcessorConfigOperation,
  billingCreatePaymentIntentOperation,
  billingConfirmPaymentOperation,
  auditLogOperation,
  getNodeChainConfigOperation,
  getNodeChainConfigCoreOperation,
  getVersionOperation,
  getLimitsOperation,
]
