/* Svc.Actions: what only the process that holds the keys can answer. */
export default function svc(_host, base, { operations }) {
  const { TypeError, define, freeze } = base
  const ID_CHARACTERS = 256

  const ask = async (name, argument) => {
    const { value } = await operations.request(name, argument).promise
    return value
  }

  const withField = (name, field) => {
    return async (input) => {
      const value = input === null || input === undefined ? undefined : input[field]
      if (typeof value !== 'string' || value === '' || value.length > ID_CHARACTERS) {
        throw new TypeError(`Svc.Actions.${name}: expected {${field}: string}`)
      }
      return ask(name, { [field]: value })
    }
  }

  const Actions = freeze({
    getPrivateKey: withField('getPrivateKey', 'pkpId'),
    getSvcActionPrivateKey: async () => ask('getSvcActionPrivateKey', {}),
    getSvcActionPublicKey: withField('getSvcActionPublicKey', 'ipfsId'),
    getSvcActionWalletAddress: withField('getSvcActionWalletAddress', 'ipfsId'),
  })
  define(globalThis, 'Svc', { value: freeze({ Actions }), writable: false, configurable: true })
}
