import journal from './meta/_journal.json';
import m0000 from './0000_initial.sql';
import m0001 from './0001_replays.sql';
import m0002 from './0002_alerts.sql';
import m0003 from './0003_alert_channels.sql';
import m0004 from './0004_replay_keys.sql';
import m0005 from './0005_verified_origin.sql';
import m0006 from './0006_key_checks.sql';
import m0007 from './0007_trigger-log.sql';
import m0008 from './0008_account_balances.sql';
import m0009 from './0009_shared_incidents.sql';
import m0010 from './0010_activity.sql';
import m0011 from './0011_payment_problems.sql';

  export default {
    journal,
    migrations: {
      m0000,
m0001,
m0002,
m0003,
m0004,
m0005,
m0006,
m0007,
m0008,
m0009,
m0010,
m0011
    }
  }
  