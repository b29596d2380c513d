# A client that speaks the protocol itself, to `retro serve' in a process of
# its own, and may stop speaking it at any moment.
#
#   my $client = Client->new (@options_of_serve);
#   $client->ask ('qC')           one packet, its reply (console output dropped)
#   $client->put ('vCont;c')      a packet, nothing awaited
#   $client->raw ($bytes)         as they are
#   $client->reply                the next reply; undef when the server is gone
#   $client->gone                 close; TRUE if the server ends by itself and
#                                 leaves nothing

package Client;

use strict;
use warnings;
use IO::Select;
use POSIX qw(WNOHANG);
use Stock;
use Test::More;

sub new
{
  my ($class, @options) = @_;
  pipe my $in, my $to or die;
  pipe my $from, my $out or die;
  $to->autoflush (1);
  my $pid = fork // die;
  if (!$pid)
    {
      close $to;
      close $from;
      open STDIN, '<&', $in;
      open STDOUT, '>&', $out;
      open STDERR, '>', '/dev/null';
      exec $Stock::retro, 'serve', @options or POSIX::_exit (127);
    }
  my $self = bless { pid => $pid, to => $to, from => $from, text => '' }, $class;
  $self->ask ('QStartNoAckMode');
  return $self;
}

sub raw
{
  my ($self, $bytes) = @_;
  local $SIG{PIPE} = 'IGNORE';
  return syswrite $self->{to}, $bytes;
}

sub framed
{
  my ($data) = @_;
  return sprintf '$%s#%02x', $data, unpack ('%8C*', $data);
}

sub put
{
  my ($self, $data) = @_;
  return $self->raw (framed ($data));
}

# The reply, `E...' or whatever; console output is kept in {console}.
sub reply
{
  my ($self) = @_;
  my $select = IO::Select->new ($self->{from});
  my $end = time + $Stock::limit;
  for (;;)
    {
      while ($self->{text} =~ s/^[^\$]*\$([^#]*)#([0-9a-f]{2})//s)
        {
          my ($data, $sum) = ($1, $2);
          die "a wrong checksum: $data" unless hex ($sum) == unpack '%8C*', $data;
          return $data unless $data =~ /^O((?:[0-9a-f]{2})+)\z/;
          $self->{console} .= pack 'H*', $1;
        }
      return undef if time > $end;
      next unless $select->can_read (1);
      return undef unless sysread $self->{from}, $self->{text}, 65536, length $self->{text};
    }
}

sub ask
{
  my ($self, $data) = @_;
  $self->put ($data);
  return $self->reply;
}

sub run
{
  my ($self, @command) = @_;
  return $self->ask ('vRun;' . join ';', map { unpack 'H*', $_ } @command);
}

# All processes that this server has made.
sub descendants
{
  my ($self) = @_;
  return map { $_->[0] } child_processes ($self->{pid});
}

# Neither the server nor anything below it (as of PROCESSES) is alive, nor any
# directory of its session is there.
sub vanished
{
  my ($self, @processes) = @_;
  my $gone = 0;
  wait_until (sub { $gone ||= waitpid ($self->{pid}, WNOHANG) != 0 }, 60);
  if (!$gone)
    {
      kill 'KILL', $self->{pid};
      waitpid $self->{pid}, 0;
    }
  my $clean = wait_until (sub { !grep { is_alive ($_) } @processes }, 60);
  my $tidy = wait_until (sub { !session_dirs () }, 60);
  diag ('the server did not end') unless $gone;
  diag ('left behind: ', join ' ', grep ({ is_alive ($_) } @processes), session_dirs ()) unless $clean && $tidy;
  return $gone && $clean && $tidy;
}

sub hang_up
{
  my ($self) = @_;
  close $self->{to};
  close $self->{from};
}

sub gone
{
  my ($self) = @_;
  my @processes = $self->descendants;
  $self->hang_up;
  return $self->vanished (@processes);
}

1;
