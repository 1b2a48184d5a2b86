/* global ethers -- an action that checks ethers' published test vectors in the sandbox */
const { utils, BigNumber, Wallet } = ethers

function same(actual, expected, what) {
  if (actual !== expected) throw new Error(`${what}: ${actual} is not ${expected}`)
}

function ok(holds, what) {
  if (!holds) throw new Error(`${what} does not hold`)
}

function throws(call, what) {
  try {
    call()
  } catch {
    return
  }
  throw new Error(`${what} did not throw`)
}

/* Compares ABI values as the vectors write them: numbers and addresses in any form. */
function equals(actual, expected) {
  if (Array.isArray(actual)) {
    return (
      Array.isArray(expected) &&
      actual.length === expected.length &&
      actual.every((item, index) => equals(item, expected[index]))
    )
  }
  if (typeof actual === 'number') actual = BigNumber.from(actual)
  if (typeof expected === 'number') expected = BigNumber.from(expected)
  if (actual.eq) return actual.eq(expected)
  if (expected.buffer) return utils.isHexString(actual) && actual === utils.hexlify(expected)
  try {
    return utils.getAddress(actual) === utils.getAddress(expected)
  } catch {
    return actual === expected
  }
}

function valueOf(written) {
  if (Array.isArray(written)) return written.map(valueOf)
  if (written.type === 'number') return BigNumber.from(written.value)
  if (written.type === 'buffer') return utils.arrayify(written.value)
  if (written.type === 'tuple') return valueOf(written.value)
  return written.value
}

function coded(vector, written) {
  const types = JSON.parse(vector.types)
  const values = valueOf(JSON.parse(written))
  same(utils.defaultAbiCoder.encode(types, values), vector.result, 'encode')
  ok(equals(utils.defaultAbiCoder.decode(types, vector.result), values), 'decode')
}

/* Compares a transaction's fields, as far as the vectors name them. */
const quantity = (value) => BigNumber.from(value == null || value === '0x' ? 0 : value)
function sameFields(parsed, expected, what) {
  for (const field of ['gasLimit', 'gasPrice', 'value', 'maxFeePerGas', 'maxPriorityFeePerGas']) {
    if (parsed[field] == null) continue
    ok(BigNumber.isBigNumber(parsed[field]), `${what} ${field} is a BigNumber`)
    ok(parsed[field].eq(quantity(expected[field])), `${what} ${field}`)
  }
  same(typeof parsed.nonce, 'number', `${what} nonce`)
  ok(quantity(expected.nonce).eq(parsed.nonce), `${what} nonce`)
  same(parsed.data, utils.hexlify(expected.data || '0x'), `${what} data`)
  if (parsed.to == null) ok(expected.to == null || expected.to === '0x', `${what} to`)
  else same(parsed.to, utils.getAddress(expected.to), `${what} to`)
  if (parsed.accessList) {
    const list = (entries) =>
      JSON.stringify(
        (entries || []).map(({ address, storageKeys }) => [address.toLowerCase(), storageKeys]),
      )
    same(list(parsed.accessList), list(expected.accessList), `${what} access list`)
  }
}

/* ethers 5 does not validate right-to-left names, and its own tests skip these. */
const NAMES_LEFT_OUT = [
  'Surrogate code U+DF42',
  'Left-to-right mark U+200E',
  'Deprecated U+202A',
  'Language tagging character U+E0001',
  'Bidi: RandALCat character U+05BE and LCat characters',
  'Bidi: RandALCat character U+FD50 and LCat characters',
  'Bidi: RandALCat without trailing RandALCat U+0627 U+0031',
]

const CHECKS = {
  accounts(vector) {
    if (vector.privateKey) {
      same(new Wallet(vector.privateKey).address.toLowerCase(), vector.address.toLowerCase(), 'key')
    }
    for (const form of [vector.address, vector.checksumAddress, vector.icapAddress]) {
      same(utils.getAddress(form), vector.checksumAddress, 'getAddress')
      same(utils.getIcapAddress(form), vector.icapAddress, 'getIcapAddress')
    }
  },
  bignumber({ value, expectedValue }) {
    if (expectedValue == null) return throws(() => BigNumber.from(value), 'BigNumber.from')
    same(BigNumber.from(value).toHexString(), expectedValue, 'from')
    same(BigNumber.from(BigNumber.from(value)).toHexString(), expectedValue, 'from a BigNumber')
  },
  'contract-events'(vector) {
    const iface = new utils.Interface(vector.interface)
    const event = iface.getEvent('testEvent')
    const whole = iface.decodeEventLog(event, vector.data, vector.topics)
    const data = iface.decodeEventLog(event, vector.data)
    vector.normalizedValues.forEach((expected, index) => {
      const actual = vector.hashed[index] ? whole[index].hash : whole[index]
      ok(equals(actual, expected), `parameter ${index}`)
      if (vector.indexed[index]) {
        const empty = ethers.Contract.isIndexed(data[index]) && data[index].hash == null
        ok(empty, `indexed parameter ${index}`)
      } else ok(equals(data[index], expected), `data ${index}`)
    })
  },
  'contract-interface': (vector) => coded(vector, vector.normalizedValues),
  'contract-interface-abi2': (vector) => coded(vector, vector.values),
  'contract-signatures'(vector) {
    const iface = new utils.Interface(vector.abi)
    const fragment = iface.getFunction('testSig')
    same(fragment.format(), vector.signature, 'signature')
    same(iface.getSighash(fragment), vector.sigHash, 'hash')
  },
  async eip712(vector) {
    const { domain, types, data } = vector
    const encoder = utils._TypedDataEncoder.from(types)
    same(encoder.primaryType, vector.primaryType, 'primary type')
    same(encoder.encode(data), vector.encoded, 'encode')
    same(utils._TypedDataEncoder.getPrimaryType(types), vector.primaryType, 'getPrimaryType')
    same(utils._TypedDataEncoder.hash(domain, types, data), vector.digest, 'digest')
    if (!vector.privateKey) return
    const signature = await new Wallet(vector.privateKey)._signTypedData(domain, types, data)
    same(signature, vector.signature, 'signature')
  },
  hashes(vector) {
    same(utils.keccak256(vector.data), vector.keccak256, 'keccak256')
    same(utils.sha256(vector.data), vector.sha256, 'sha256')
    same(utils.sha512(vector.data), vector.sha512, 'sha512')
  },
  hdnode(vector) {
    const { mnemonic, entropy, locale, password, seed, name } = vector
    const wordlist = ethers.wordlists[locale]
    ok(wordlist, `the words of ${locale}`)
    same(utils.mnemonicToSeed(mnemonic, password), seed, 'seed')
    const back = utils.entropyToMnemonic(entropy, wordlist)
    same(back.normalize('NFKD'), mnemonic.normalize('NFKD'), 'mnemonic')
    same(utils.mnemonicToEntropy(mnemonic, wordlist), entropy, 'entropy')
    if (locale === 'en') same(utils.entropyToMnemonic(entropy), mnemonic, 'English mnemonic')
    const root = utils.HDNode.fromMnemonic(mnemonic, password || null, wordlist)
    const shouted = [...mnemonic]
      .map((c, i) => ((i + name.length) % 3 ? c : c.toUpperCase()))
      .join('')
    const other = utils.HDNode.fromMnemonic(shouted, password || null, wordlist)
    same(other.privateKey, root.privateKey, 'any case')
    const seeded = utils.HDNode.fromSeed(seed)
    for (const expected of vector.hdnodes) {
      const node = root.derivePath(expected.path)
      same(node.privateKey, expected.privateKey, 'private key')
      same(node.path, expected.path, 'path')
      same(node.mnemonic.path, expected.path, 'mnemonic path')
      same(seeded.derivePath(expected.path).privateKey, expected.privateKey, 'key from seed')
      same(new Wallet(node.privateKey).address.toLowerCase(), expected.address, 'address')
    }
  },
  namehash: (vector) => same(utils.namehash(vector.name), vector.expected, 'namehash'),
  nameprep({ comment, input, output }) {
    if (NAMES_LEFT_OUT.includes(comment)) return
    const name = utils.toUtf8String(input)
    if (output) same(utils.nameprep(name), utils.toUtf8String(output), 'nameprep')
    else throws(() => utils.nameprep(name), 'nameprep')
  },
  'rlp-coder'({ decoded, encoded }) {
    same(utils.RLP.encode(decoded), encoded, 'encode')
    same(JSON.stringify(utils.RLP.decode(encoded)), JSON.stringify(decoded), 'decode')
  },
  'solidity-hashes'({ types, values, keccak256, sha256 }) {
    same(utils.solidityKeccak256(types, values), keccak256, 'keccak256')
    same(utils.soliditySha256(types, values), sha256, 'sha256')
  },
  async transactions(vector) {
    const key = new utils.SigningKey(vector.privateKey)
    const address = utils.getAddress(vector.accountAddress)
    const fields = {}
    for (const name of ['nonce', 'gasLimit', 'gasPrice', 'to', 'value', 'data'])
      fields[name] = vector[name]
    const kinds = [
      [0, vector.unsignedTransaction, vector.signedTransaction],
      [5, vector.unsignedTransactionChainId5, vector.signedTransactionChainId5],
    ]
    for (const [chainId, unsigned, signed] of kinds) {
      const transaction = chainId === 0 ? fields : { ...fields, chainId }
      sameFields(utils.parseTransaction(unsigned), vector, 'unsigned')
      const parsed = utils.parseTransaction(signed)
      sameFields(parsed, vector, 'signed')
      same(parsed.from, address, 'from')
      same(parsed.chainId, chainId, 'chain id')
      same(utils.serializeTransaction(transaction), unsigned, 'serialize')
      const signature = key.signDigest(utils.keccak256(unsigned))
      same(utils.serializeTransaction(transaction, signature), signed, 'sign')
    }
    const nonce = vector.nonce === '0x' ? 0 : vector.nonce
    const whole = { ...fields, nonce, chainId: 5 }
    const signed = await new Wallet(vector.privateKey).signTransaction(whole)
    same(signed, vector.signedTransactionChainId5, 'wallet')
    const hash = utils.keccak256(vector.unsignedTransaction)
    const [v, r, s] = utils.RLP.decode(vector.signedTransaction).slice(-3)
    const split = utils.splitSignature({ r, s, v: parseInt(v, 16) })
    same(utils.recoverAddress(hash, { r, s, v: parseInt(v, 16) }), address, 'recover r, s, v')
    same(utils.recoverAddress(hash, { r: split.r, _vs: split._vs }), address, 'recover r, _vs')
    const { recoveryParam } = split
    same(utils.recoverAddress(hash, { r: split.r, s: split.s, recoveryParam }), address, 'recover')
  },
  async 'typed-transactions'({ key, tx, signed, unsigned, address }) {
    same(await new Wallet(key).signTransaction(tx), signed, 'sign')
    same(utils.serializeTransaction(tx), unsigned, 'serialize')
    sameFields(utils.parseTransaction(unsigned), tx, 'unsigned')
    const parsed = utils.parseTransaction(signed)
    sameFields(parsed, tx, 'signed')
    same(parsed.type, tx.type, 'type')
    ok(quantity(tx.chainId).eq(parsed.chainId), 'chain id')
    same(parsed.from.toLowerCase(), address, 'from')
  },
  units(vector) {
    const wei = BigNumber.from(vector.wei)
    ok(utils.parseEther(vector.ether.replace(/,/g, '')).eq(wei), 'parseEther')
    same(utils.formatEther(wei), vector.ether_format, 'formatEther')
    for (const name of ['kwei', 'mwei', 'gwei', 'szabo', 'finney', 'satoshi']) {
      const unit = name === 'satoshi' ? 8 : name
      const formatted = vector[`${name}_format`]
      if (vector[name]) ok(utils.parseUnits(vector[name].replace(/,/g, ''), unit).eq(wei), name)
      if (formatted) same(utils.formatUnits(wei, unit), formatted, name)
    }
  },
  async wallets(vector) {
    const { json, password, hasAddress, address, privateKey, mnemonic } = vector
    if (hasAddress) ok(utils.getJsonWalletAddress(json) !== null, 'address in JSON')
    const wallet = await Wallet.fromEncryptedJson(json, password)
    same(wallet.privateKey, privateKey, 'private key')
    same(wallet.address.toLowerCase(), address, 'address')
    same(new Wallet(wallet._signingKey()).privateKey, privateKey, 'of a signing key')
    if (mnemonic) same(wallet.mnemonic.phrase, mnemonic, 'mnemonic')
    if (vector.name !== 'life') return
    same(Wallet.fromEncryptedJsonSync(json, password).privateKey, privateKey, 'sync')
  },
  wordlists({ locale, content }) {
    const wordlist = ethers.wordlists[locale]
    if (wordlist == null) return
    content.split('\n').forEach((word, index) => {
      if (index < 2048) same(wordlist.getWord(index), word, `word ${index}`)
    })
    const words = content.split('\n').slice(0, 12)
    same(JSON.stringify(wordlist.split(wordlist.join(words))), JSON.stringify(words), 'split')
  },
}

/* @returns {checked, failures}: the number of checked vectors, and the failed ones */
// oxlint-disable-next-line no-unused-vars -- the sandbox calls it
async function main({ name, vectors }) {
  const failures = []
  for (const [index, vector] of vectors.entries()) {
    try {
      await CHECKS[name](vector)
    } catch (error) {
      failures.push(`${vector.name || vector.testcase || index}: ${error.message}`.slice(0, 500))
    }
  }
  return { checked: vectors.length, failures: failures.slice(0, 5) }
}
