import { accountResponse } from '../../shared/wire/core.ts'
import type { Operation } from './operation.ts'

/** Restricted to the owner, because the e-mail address is personal data. */
export const getAccountOperation: Operation = {
  method: 'GET',
  path: '/core/v1/get_account',
  summary: 'Returns the name, description, e-mail address, wallet, hash and mode of the account.',
  auth: 'account_key',
  walletAuth: true,
  responseSchema: accountResponse,
  handle: async ({ principal: { account } }, { accountEmails }) => ({
    account_name: account.name,
    account_description: account.description,
    email: await accountEmails.find(account),
    wallet_address: account.adminWallet,
    api_key_hash: account.hash,
    managed: account.managed,
  }),
}
