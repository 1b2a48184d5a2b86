import { defineAction } from '@svc-run/cli/action'

/** Encrypts a secret for `default_params` in svc.json. Only actions that may use the wallet can decrypt it. */
export default defineAction(({ wallet, secret }: { wallet: string; secret: string }) =>
  Svc.Actions.encrypt({ pkpId: wallet, message: secret }),
)
