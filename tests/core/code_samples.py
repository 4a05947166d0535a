"""A piece of code in each language that is read by syntax, and what it says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    text: str
    defines: str
    uses: str
    not_defined: str = ""
    not_used: str = ""


@dataclass(frozen=True)
class Cut:
    """Something too large: how it begins, one of its parts, how it ends, and what its parts are said to stand in."""

    head: str
    part: str
    tail: str
    within: str
    name: str = ""
    """What a part defines."""


SAMPLES = {
    "py": Sample(
        '''
import os

LIMIT: int = 5
type Names = list[str]


# Locks accounts.
@cached
class LockService(Base, metaclass=Meta):
    """Docs, with lock_all() in them."""

    table = models.CharField()

    @property
    async def lock(self, user: User | None, team: list[Team]) -> Result:
        def inner():
            return audit(user)
        try:
            self.repo.find(user)
        except (KeyError, LockError) as error:
            raise Denied(user) from error
''',
        "LIMIT Names LockService table LockService.table lock LockService.lock inner lock.inner",
        "cached Base CharField User Team Result audit find KeyError LockError Denied property",
        not_defined="user error os self",
        not_used="error LockService lock_all",
    ),
    "js": Sample(
        """
const { audit } = require("./audit");
export const LIMIT = 5;
class LockService extends Base {
  #repo = null;
  static size = 2;
  async lock(user) { const found = await this.repo.find(user); audit(found); return new Lock(found); }
}
exports.unlock = function (user) { return free(user); };
const routes = { open: () => 1 };
const View = ({ user }) => <Panel onClick={free}><Icons.Key /><div /></Panel>;
""",
        "LIMIT LockService size LockService.size lock LockService.lock unlock routes open routes.open View",
        "Base find audit Lock free Panel Key",
        not_defined="found user",
        not_used="div require",
    ),
    "ts": Sample(
        """
@Injectable()
export class LockService<T> extends Base<User> implements Locker {
  private readonly limit: number = 5;
  constructor(private repo: UserRepo) { super(); }
  @HostListener("x")
  async lock(user: User): Promise<Lock> { const found = await this.repo.find(user.id); return new Lock(found); }
}
export interface Locker { lock(user: User): void; size: number }
export abstract class Store { abstract open(): Handle }
export type Names = Array<Name>;
export enum State { Open, Closed = 2 }
export const LIMIT: number = 5;
export const useLock = (user: User) => audit(user);
namespace Inner { export function free() {} }
declare function native(a: number): void;
""",
        "LockService limit LockService.limit lock LockService.lock Locker Locker.lock size Locker.size Store Store.open"
        " Names State Open State.Open Closed LIMIT useLock Inner free Inner.free native",
        "Injectable Base User Locker UserRepo HostListener Promise Lock find Handle Name audit",
        not_defined="found user",
    ),
    "tsx": Sample(
        """
interface Props { user: User }
export function Badge({ user }: Props) {
  return <Panel title={name(user)}><Icons.Key /><span>{user.name}</span></Panel>;
}
""",
        "Props user Props.user Badge",
        "User Props Panel Key name",
        not_used="span",
    ),
    "java": Sample(
        """
package shop.lock;

/** Locks accounts. */
@Service
public class LockService extends Base<User> implements Locker<Team>, Other {
    private static final int LIMIT = 5;
    @Autowired private UserRepo repo;
    public LockService(UserRepo repo) { this.repo = repo; }
    public Optional<Lock> lock(User user) throws LockException {
        audit(repo.find(user.getId()));
        List<String> names = new ArrayList<>();
        return items.map(Key::new);
    }
}
enum State { OPEN, CLOSED }
record Point(int x) {}
@interface Marker { int depth(); }
""",
        "LockService LIMIT LockService.LIMIT repo LockService.repo LockService.LockService lock LockService.lock State"
        " OPEN State.OPEN CLOSED Point Marker depth",
        "Service Base User Locker Team Other Autowired UserRepo Optional Lock LockException audit find getId List"
        " ArrayList map Key",
        not_defined="user names",
    ),
    "kt": Sample(
        """
package shop.lock

/** Locks accounts. */
@Service
class LockService(private val repo: UserRepo, limit: Int) : Base(limit), Locker<User> {
    companion object {
        const val LIMIT = 5
    }
    val open: Map<String, Lock> = mutableMapOf()
    override fun lock(user: Person): Result<Lock> {
        val found = repo.find(user.id)
        audit(found)
        return Lock(found)
    }
}
object Clock {
    fun now() = 1
}
interface Locker<T> {
    fun lock(t: T)
}
enum class State { OPEN, CLOSED }
typealias Names = List<String>
fun String.short(): String = take(3)
""",
        "LockService repo LockService.repo LIMIT open LockService.open lock LockService.lock Clock now Clock.now Locker"
        " Locker.lock State OPEN State.OPEN CLOSED Names short String.short",
        "Service UserRepo Base Locker User Map Lock mutableMapOf Person Result find audit List take",
        not_defined="found user limit",
    ),
    "go": Sample(
        """
package lock

const Limit = 5

var (
	ErrLocked = errors.New("locked")
)

// Service locks accounts.
type Service struct { repo Repo; limit int }
type Locker interface { Lock(user User) error }
type Names = []Name

// Lock locks one.
func (s *Service) Lock(ctx context.Context, user *User) (*Lock, error) {
	found, err := s.repo.Find(user.ID)
	audit(found)
	return &Lock{ID: found}, err
}
func (s Stack[T]) Push(t T) {}
func New() *Service { return nil }
""",
        "Limit ErrLocked Service repo Service.repo limit Locker Locker.Lock Names Lock Service.Lock Push Stack.Push"
        " New",
        "New Repo User Name Context Find audit Lock Service",
        not_defined="found err s",
    ),
    "rs": Sample(
        """
/// Locks accounts.
#[derive(Debug)]
pub struct LockService<R> { repo: R, limit: u32 }
pub const LIMIT: u32 = 5;
static NAME: &str = "lock";
impl<R: Repo> Locker for LockService<R> {
    #[inline]
    fn lock(&self, user: &User) -> Result<Lock, Error> {
        let found = self.repo.find(user.id)?;
        audit(found);
        log::info!("x");
        Ok(Lock::create(found.collect::<Vec<Key>>()))
    }
}
trait Locker { fn lock(&self); type Key; }
enum State { Open, Closed(u8) }
type Names = Vec<String>;
mod inner { pub fn free() {} }
macro_rules! twice { () => {} }
""",
        "LockService repo LockService.repo LIMIT NAME lock LockService.lock Locker Locker.lock Locker.Key State Open"
        " State.Open Closed Names inner free inner.free twice",
        "Debug Repo Locker User Result Lock Error find audit info Ok create collect Vec Key",
        not_defined="found user",
    ),
    "c": Sample(
        """
#include <stdio.h>
#define LIMIT 5
#define MIN(a, b) ((a) < (b) ? (a) : (b))
typedef int (*handler)(int);
typedef struct { int x; struct user *owner; } lock_t;
struct point { int y; };
enum state { OPEN, CLOSED };
static const struct ops lock_ops = { .open = do_open, };
int lock_init(struct user *u);
/* Makes
 * one. */
static struct point *
make_point(int a)
{
    struct point *p = kmalloc(sizeof(*p));
    size_t n = 0;
    p->ops->run(a);
    return p;
}
int counter;
""",
        "LIMIT MIN handler lock_t x lock_t.x owner point y point.y state OPEN state.OPEN CLOSED lock_ops lock_init"
        " make_point counter",
        "user ops do_open point kmalloc run",
        not_defined="p a u n",
    ),
    "cpp": Sample(
        """
namespace shop {
struct Point { int x; Lock *owner; };
enum class State { Open, Closed };
using Names = std::vector<Name>;
template <typename T>
class LockService : public Base<T>, Locker {
public:
    LockService(Repo* repo);
    ~LockService() { close(); }
    Lock lock(const User& user) override {
        auto found = repo_->find(user.id);
        audit(found);
        return Lock{found};
    }
    bool operator==(const Point& other) const;
};
Lock LockService::unlock(const User& user) { return new Key(user); }
template <typename T> int LockService<T>::size() const { return helper::make<int>(3); }
int outer::Inner::depth() { return std::max(1, 2); }
static char *name(int a) { return ns::shorten(a); }
}
""",
        "Point x Point.x owner State Open State.Open Names LockService shop.LockService ~LockService lock"
        " LockService.lock operator== unlock LockService.unlock size LockService.size depth Inner.depth name",
        "Lock Name Base Locker Repo close User find audit Key make max shorten",
        not_defined="found user a",
    ),
    "cs": Sample(
        """
using System;
namespace Shop.Locks {
/// <summary>Locks accounts.</summary>
[Service]
public class LockService : Base, ILocker<User> {
    private const int Limit = 5;
    private readonly IRepo<Team> _repo;
    public Name Title { get; set; }
    public LockService(IRepo<Team> repo) : base(repo) { _repo = repo; }
    public async Task<Lock> LockAsync(Person person) {
        var found = await _repo.Find(person.Id);
        Audit(found); door?.Close(); services.Get<Clock>();
        return new Key(found);
    }
    public event EventHandler Done;
}
public interface ILocker<T> { void Lock(T t); }
public enum State { Open, Closed }
public record Point(int X);
public delegate void Handler(int a);
}
""",
        "LockService Shop.Locks.LockService Limit LockService.Limit _repo Title LockService.Title LockAsync"
        " LockService.LockAsync Done ILocker ILocker.Lock State Open State.Open Point Handler",
        "Service Base ILocker User IRepo Team Name Task Lock Person Find Audit Close Get Clock Key EventHandler",
        not_defined="found person",
    ),
    "rb": Sample(
        """
module Shop
  class LockService < Base
    include Locker
    LIMIT = 5
    attr_reader :repo, :clock
    def lock(user)
      found = repo.find(user)
      audit(found)
      Lock.new(found)
    end
    def self.build; end
    def open?; @open; end
  end
end
""",
        "Shop LockService Shop.LockService LIMIT LockService.LIMIT repo clock LockService.repo lock LockService.lock"
        " build open? LockService.open?",
        "Base Locker find audit Lock new include",
        not_defined="found user",
        not_used="found user",
    ),
    "php": Sample(
        r"""<?php
namespace App\Locks;
use App\Repo;
/** Locks accounts. */
#[Service]
class LockService extends Base implements Locker {
    use Loggable;
    const LIMIT = 5;
    private UserRepo $repo;
    public function __construct(private Clock $clock) {}
    public function lock(User $user): ?Lock {
        $found = $this->repo->find($user->id);
        audit($found);
        Log::info("x");
        return new Key($found);
    }
}
enum State: string { case Open = 'o'; }
function helper(int $a) { return array_map($a); }
""",
        "LockService LIMIT LockService.LIMIT repo LockService.repo clock LockService.clock lock LockService.lock State"
        " Open State.Open helper",
        "Service Base Locker Loggable UserRepo Clock User Lock find audit Log info Key array_map",
        not_defined="found user a",
    ),
    "swift": Sample(
        """
import Foundation
/// Locks accounts.
@objc final class LockService: Base, Locker {
    static let limit = 5
    var open: [String: Lock] = [:]
    init(repo: UserRepo) { self.repo = repo }
    func lock(user: User) throws -> Key {
        let found = repo.find(user.id)
        audit(found)
        return Key(found)
    }
}
struct Point { let x: Int }
enum State { case ready, closed }
protocol Locker { func lock(user: User) throws -> Lock
    var size: Int { get } }
extension Account: Codable { func short() -> String { name } }
typealias Names = [Name]
func free() -> Int { return LockService.shared.count() }
""",
        "LockService limit LockService.limit open lock LockService.lock LockService.init Point x Point.x State ready"
        " State.ready closed Locker Locker.lock size Locker.size short Account.short Names free",
        "Base Locker Lock UserRepo User Key find audit Codable Name count",
        not_defined="found user Account",
    ),
    "scala": Sample(
        """
package shop
/** Locks accounts. */
class LockService(repo: UserRepo)(implicit ec: Context) extends Base(5) with Locker[User] {
  val limit: Int = 5
  type Id = Name
  def lock(user: Person): Future[Lock] = {
    val found = repo.find(user.id)
    audit(found)
    new Key(found)
  }
}
object Clock { def now() = System.now }
trait Locker[T] { def lock(t: T): Unit }
case class Point(x: Int)
enum State { case Open, Closed }
""",
        "LockService limit LockService.limit Id lock LockService.lock Clock now Clock.now Locker Locker.lock Point"
        " State Open State.Open Closed",
        "UserRepo Context Base Locker User Name Person Future Lock find audit Key",
        not_defined="found user repo",
    ),
    "sql": Sample(
        """
-- Accounts.
CREATE TABLE IF NOT EXISTS public.users (
  id BIGINT PRIMARY KEY,
  email VARCHAR(200) NOT NULL,
  team_id INT REFERENCES teams(id)
);
CREATE OR REPLACE VIEW locked AS
  SELECT u.email, count(*) FROM users u JOIN locks AS l ON l.user_id = u.id WHERE l.open GROUP BY u.email;
CREATE FUNCTION free_user(uid INT) RETURNS INT AS $$ SELECT 1 $$ LANGUAGE sql;
CREATE INDEX idx_users_email ON users (email);
INSERT INTO locks (reason) VALUES ('x');
UPDATE accounts SET closed = 'a' WHERE number = 3;
DELETE FROM logins WHERE seen = 4;
ALTER TABLE users ADD COLUMN phone TEXT;
CREATE TRIGGER on_user AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION audit_user();
SELECT u.name, free_user(u.id) FROM "people" u;
""",
        "users email users.email team_id users.team_id locked free_user idx_users_email phone users.phone on_user",
        "teams users locks users.email email locks.user_id locks.open locks.reason accounts.closed accounts.number"
        " logins.seen audit_user free_user people people.name",
        not_used="u.email l.open u.name",
    ),
}

_STEP = "    if (audit(user, {n})) {\n        // what happens here, at some length\n        free(user, {n});\n    }\n"

CUT = {
    "py": Cut(
        "@final\nclass LockService(\n    Base,\n):\n",
        "    # Step.\n    @cached\n    def step_{n}(self, user):\n        value = user.find()\n        return {n}\n\n",
        "",
        "LockService\nclass LockService( Base, ):",
        "LockService.step_{n}",
    ),
    "js": Cut(
        "export class LockService extends Base {\n",
        "  /** Step. */\n  step{n}(user) {\n    const value = user.find();\n    return value * {n};\n  }\n\n",
        "}\n",
        "LockService\nclass LockService extends Base",
        "LockService.step{n}",
    ),
    "ts": Cut(
        "export class LockService<T> extends Base {\n",
        '  @Get("x")\n  step{n}(user: User): number {\n    const value = user.find();\n    return {n};\n  }\n\n',
        "}\n",
        "LockService\nclass LockService<T> extends Base",
        "LockService.step{n}",
    ),
    "tsx": Cut(
        "export function Form({ user }: Props) {\n",
        "  const field{n} = useField({\n    user: user, label: text('what is shown beside it'), {n}\n  });\n",
        "}\n",
        "Form\nfunction Form({ user }: Props)",
    ),
    "java": Cut(
        "@Service\npublic class LockService extends Base {\n",
        "    /** Step. */\n    @Override\n    public int step{n}(User user) {\n        return find({n});\n    }\n\n",
        "}\n",
        "LockService\npublic class LockService extends Base",
        "LockService.step{n}",
    ),
    "kt": Cut(
        "@Service\nclass LockService(val repo: Repo) : Base() {\n",
        "    /** Step. */\n    override fun step{n}(user: User): Int {\n        return user.find() * {n}\n    }\n\n",
        "}\n",
        "LockService\nclass LockService(val repo: Repo) : Base()",
        "LockService.step{n}",
    ),
    "go": Cut(
        "package lock\n\nfunc (s *Service) Lock(user *User) error {\n",
        '\tif err := s.audit(user, {n}); err != nil {\n\t\treturn fmt.Errorf("what went wrong: %w", err, {n})\n\t}\n',
        "}\n",
        "Service > Lock\nfunc (s *Service) Lock(user *User) error",
    ),
    "rs": Cut(
        "impl<R: Repo> Locker for LockService<R> {\n",
        "    /// Step.\n    #[inline]\n    fn step_{n}(&self, user: &User) -> u32 {\n        find({n})\n    }\n\n",
        "}\n",
        "LockService\nimpl<R: Repo> Locker for LockService<R>",
        "LockService.step_{n}",
    ),
    "c": Cut(
        "static int\nlock_all(struct user *user)\n{\n", _STEP, "}\n", "lock_all\nstatic int lock_all(struct user *user)"
    ),
    "cpp": Cut(
        "int LockService::lock(User *user) {\n", _STEP, "}\n", "LockService > lock\nint LockService::lock(User *user)"
    ),
    "cs": Cut(
        "namespace Shop;\n\n[Service]\npublic class LockService : Base\n{\n",
        "    /// Step.\n    [Get]\n    public int Step{n}(User user)\n    {\n        return user.Find({n});\n    }\n\n",
        "}\n",
        "LockService\npublic class LockService : Base",
        "LockService.Step{n}",
    ),
    "rb": Cut(
        "class LockService < Base\n",
        "  # Step.\n  def step_{n}(user)\n    value = user.find\n    audit(value * {n})\n  end\n\n",
        "end\n",
        "LockService\nclass LockService < Base",
        "LockService.step_{n}",
    ),
    "php": Cut(
        "<?php\nclass LockService extends Base\n{\n",
        "    /** Step. */\n    #[Get]\n    function step{n}(User $user)\n    {\n        return find({n});\n    }\n\n",
        "}\n",
        "LockService\nclass LockService extends Base",
        "LockService.step{n}",
    ),
    "swift": Cut(
        "extension LockService: Locker {\n",
        "    /// Step.\n    @objc func step{n}(user: User) -> Int {\n        return user.find() * {n}\n    }\n\n",
        "}\n",
        "LockService\nextension LockService: Locker",
        "LockService.step{n}",
    ),
    "scala": Cut(
        "class LockService(repo: Repo) extends Base {\n",
        "  /** Step. */\n  @tailrec\n  def step{n}(user: User): Int = {\n    user.find() * {n}\n  }\n\n",
        "}\n",
        "LockService\nclass LockService(repo: Repo) extends Base",
        "LockService.step{n}",
    ),
    "sql": Cut(
        "CREATE TABLE users (\n",
        "  column_{n} VARCHAR(200) NOT NULL DEFAULT 'what is in it when nothing else is said',\n",
        "  last INT\n);\n",
        "users\nCREATE TABLE users (",
        "users.column_{n}",
    ),
}
