import { accountAnswer } from '../../shared/wire/core.ts'
import type { Operation } from './operation.ts'

/** Restricted to the owner, because the e-mail address is personal data. */
export const getAccount: Operation = {
  method: 'GET',
  path: '/core/v1/get_account',
  summary: 'Returns the name, description, e-mail address, wallet, hash and mode of the account.',
  auth: 'account_key',
  walletAuth: true,
  answer: accountAnswer,
  handle: async ({ principal: { account } }, { accountEmails }) => ({
    account_name: account.name,
    account_description: account.description,
    email: await accountEmails.of(account),
    wallet_address: account.adminWallet,
    api_key_hash: account.hash,
    managed: account.managed,
  }),
}
