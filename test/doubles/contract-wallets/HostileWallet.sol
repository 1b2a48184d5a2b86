// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Answers isValidSignature in a hostile way, chosen at deployment.
contract HostileWallet {
    enum Way {
        YesToEverything,
        Reverts,
        RevertsWithTheMagicValue,
        WrongValue,
        MagicAndMore,
        FourBytes,
        TwoWords,
        Nothing,
        Megabyte,
        Loops,
        Writes
    }

    bytes4 private constant MAGIC = 0x1626ba7e;
    Way private immutable way;
    uint256 private calls;

    constructor(Way way_) {
        way = way_;
    }

    fallback() external {
        Way chosen = way;
        if (chosen == Way.Reverts) revert("no");
        if (chosen == Way.Loops) while (true) {}
        if (chosen == Way.Writes) calls += 1;
        bytes32 word = MAGIC;
        uint256 size = 32;
        if (chosen == Way.WrongValue) word = bytes4(0xffffffff);
        if (chosen == Way.MagicAndMore) word = bytes32(MAGIC) | bytes32(uint256(1));
        if (chosen == Way.FourBytes) size = 4;
        if (chosen == Way.TwoWords) size = 64;
        if (chosen == Way.Nothing) size = 0;
        if (chosen == Way.Megabyte) size = 1_000_000;
        bool reverts = chosen == Way.RevertsWithTheMagicValue;
        assembly {
            mstore(0, word)
            switch reverts
            case 1 { revert(0, size) }
            default { return(0, size) }
        }
    }
}
