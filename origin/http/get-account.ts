import { accountResponse } from '../../shared/wire/core.ts'
import type { Operation } from './operation.ts'

/** The e-mail address is personal data, so only the owner gets it, and no usage key. */
export const getAccountOperation: Operation = {
  method: 'GET',
  path: '/core/v1/get_account',
  summary: 'Returns the name, description, e-mail address, wallet, hash and mode of the account.',
  auth: 'account_reader',
  walletAuth: true,
  responseSchema: accountResponse,
  handle: async ({ principal: { account, usageKey } }, { accountEmails }) => ({
    account_name: account.name,
    account_description: account.description,
    email: usageKey ? null : await accountEmails.find(account),
    wallet_address: account.adminWallet,
    api_key_hash: account.hash,
    managed: account.managed,
  }),
}
