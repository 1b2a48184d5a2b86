import { describe, expect, it } from 'vitest'
import { clientNetwork, clientSite } from '../../shared/network/client-network.ts'

describe('the network of a client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0000:1:2:3:4', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
    ['unix', ''],
    ['192.0.2.256', ''],
    ['192.0.2.01', ''],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['::ffff:192.0.2.1.1', ''],
    ['2001:db8::1::2', ''],
    ['2001:db8:1:2:3:4:5:6:7', ''],
    ['1:2:3:4:5:6:7::8', ''],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['2001:db8::12345', ''],
    ['2001:db8::g', ''],
  ])('of %j is %j', (address, network) => {
    expect(clientNetwork(address)).toBe(network)
  })

  it.each([
    ['192.0.2.1', '192.0.2.0/24'],
    ['::ffff:192.0.2.1', '192.0.2.0/24'],
    ['2001:db8:1:2::1', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    ['unix', ''],
  ])('belongs to a site: of %j it is %j', (address, site) => {
    expect(clientSite(address)).toBe(site)
  })
})
